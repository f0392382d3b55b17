/** @typedef {import("../../../plan/plan.ts").Plan} Plan */
/** @typedef {import("../../../plan/plan.ts").PlannedChange} PlannedChange */
/** @typedef {import("../../../model/problem-line.ts").ReportedProblem} ReportedProblem */
/** @typedef {import("../../../model/types.ts").Action} Action */
/** @typedef {import("../../../model/types.ts").Value} Value */

/**
 * An element with its class and what stands in it. Strings become text nodes, so no value can become markup.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} className
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/**
 * An element of the page's own markup.
 * @template {HTMLElement} [Found=HTMLElement]
 * @param {string} id
 * @returns {Found}
 */
function part(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page lacks #${id}`);
  return /** @type {Found} */ (found);
}

/**
 * `3 projects`, `1 project`, `10,000 changes`.
 * @param {number} count
 * @param {string} one
 */
function counted(count, one, many = `${one}s`) {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** @param {number} count */
function grouped(count) {
  return count.toLocaleString("en");
}

/**
 * Text whose invisible characters can be seen: they could hide a part of a value, or show it in another order.
 * @param {string} text
 */
function visible(text) {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point.
    /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * A value as a person reads it; quoted only where it could be taken for something else.
 * @param {Value} value
 */
function written(value) {
  if (isReference(value)) return `secret ${visible(value.secret)}`;
  if (typeof value !== "string") return JSON.stringify(value);
  const isPlain = value.trim() === value && !/^(?:|true|false|null|-?\d[\d.eE+-]*|".*"|\(.*\))$/s.test(value);
  return visible(isPlain ? value : JSON.stringify(value));
}

/**
 * @param {unknown} value
 * @returns {value is { secret: string, version?: number }}
 */
function isReference(value) {
  return typeof value === "object" && value !== null && "secret" in value;
}

/**
 * One side of a field's change; the part in which it differs from the other side is marked.
 * @param {Value | undefined} value
 * @param {Value | undefined} other
 * @param {"before" | "after"} side
 */
function valueNode(value, other, side) {
  if (value === undefined) return element("span", "absent", side === "before" ? "not reported" : "unset");
  if (isReference(value)) return secretNode(value);
  const text = written(value);
  const code = element("code", "value");
  if (text.length > 400) code.tabIndex = 0;
  const middle = other === undefined || isReference(other) ? undefined : difference(text, written(other));
  if (!middle) return fill(code, text);
  return fill(
    code,
    text.slice(0, middle.from),
    element("mark", "", text.slice(middle.from, middle.to)),
    text.slice(middle.to),
  );
}

/** @param {{ secret: string, version?: number }} reference */
function secretNode({ secret, version }) {
  const bump = version === undefined ? "" : `, version ${version}`;
  return element("span", "", element("span", "tag", "secret"), " ", element("code", "value", visible(secret) + bump));
}

/**
 * Where a text differs from another, if they have enough in common for that to help.
 * @param {string} text
 * @param {string} other
 */
function difference(text, other) {
  const shorter = Math.min(text.length, other.length);
  let start = 0;
  while (start < shorter && text[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && text.at(-1 - end) === other.at(-1 - end)) end++;
  if (start + end < 4 || (start + end) * 3 < shorter || start + end === text.length) return undefined;
  return isPair(text, start) || isPair(text, text.length - end) ? undefined : { from: start, to: text.length - end };
}

/**
 * Whether a cut would go through the two halves of one character.
 * @param {string} text
 * @param {number} at
 */
function isPair(text, at) {
  return /^[\udc00-\udfff]/.test(text.slice(at));
}

/**
 * Replaces what an element holds.
 * @template {Element} Filled
 * @param {Filled} filled
 * @param {...(Node | string)} children
 * @returns {Filled}
 */
function fill(filled, ...children) {
  filled.replaceChildren(...children);
  return filled;
}
