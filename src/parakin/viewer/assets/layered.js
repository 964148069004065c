// The page of a robot with layers.

import { Layers } from "./layers.js";
import { start } from "./main.js";

start((page) => Layers.load(page));
