// How numbers are shown: millimetres and degrees instead of metres and radians.

/** @typedef {{ factor: number, unit: string, digits: number }} Display */

/** @type {Record<string, Display>} */
const DISPLAYS = {
  m: { factor: 1000, unit: "mm", digits: 2 },
  rad: { factor: 180 / Math.PI, unit: "°", digits: 2 },
  N: { factor: 1, unit: "N", digits: 2 },
  "N m": { factor: 1, unit: "N m", digits: 3 },
};

/** @param {string} unit @returns {Display} */
export const display = (unit) => DISPLAYS[unit] ?? { factor: 1, unit, digits: 3 };

/** A number in the unit it is shown in, without the unit. @param {number} value in SI @param {string} unit of SI @param {number} [digits] */
export function numberText(value, unit, digits = display(unit).digits) {
  const { factor } = display(unit);
  const text = (value * factor).toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text;
}

/** @param {number} value in SI @param {string} unit of SI */
export const quantityText = (value, unit) => `${numberText(value, unit)}${unit === "rad" ? "" : " "}${display(unit).unit}`;
