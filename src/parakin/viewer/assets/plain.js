// The page of a robot without layers.

import { start } from "./main.js";

start();
