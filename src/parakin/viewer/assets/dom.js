// Elements of the page. Text is always set as text, so that no name of a robot or file can become markup.

/** @typedef {Record<string, string | number | boolean | ((event: Event) => void)>} Attributes */

/**
 * Makes an element. Attributes whose values are functions are listeners (`onclick`), true is an empty attribute.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Attributes} attributes @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value !== false) made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children);
  return made;
}

/** @param {string} label @param {() => void} action @param {Attributes} attributes */
export const button = (label, action, attributes = {}) => element("button", { type: "button", onclick: action, ...attributes }, label);

/** @param {string} title @param {(Node | string)[]} children */
export const section = (title, ...children) => element("section", {}, element("h2", {}, title), ...children);

/** Sets the text of an element if it changed. @param {HTMLElement} target @param {string} text */
export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}
