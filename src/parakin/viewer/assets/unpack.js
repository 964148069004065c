// Unpacks the page's modules and starts them. The page's policy knows their digest, and runs nothing else.

import { bytesOf } from "./packing.js";

/** Starts the modules, or says why they cannot run. */
async function unpack() {
  const script = document.createElement("script");
  script.type = "module";
  script.textContent = new TextDecoder().decode(await bytesOf(document.getElementById("modules")?.textContent ?? ""));
  document.body.append(script);
}

unpack().catch((error) => {
  const message = /** @type {HTMLElement} */ (document.getElementById("message"));
  message.dataset.state = "bad";
  message.textContent = `this page cannot run here: ${error instanceof Error ? error.message : error}`;
});
