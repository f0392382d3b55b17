import { printable } from "../base/printable.ts";

/** Well-formed XML, ready to be put inside other XML. */
export type Tag = string & { readonly xml: unique symbol };

type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An element with its attributes (undefined ones left out) around either text or other elements. */
export function tag(name: string, attributes: Attributes, content: string | readonly Tag[]): Tag {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : ` ${key}="${escaped(String(value))}"`,
  );
  const inner = typeof content === "string" ? escaped(content) : lines(content);
  return (inner ? `<${name}${written.join("")}>${inner}</${name}>` : `<${name}${written.join("")}/>`) as Tag;
}

function lines(tags: readonly Tag[]): string {
  return tags.map((each) => `\n${each}`).join("") + (tags.length > 0 ? "\n" : "");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Characters that XML cannot hold in any form are written as `\uXXXX`. */
function escaped(text: string): string {
  return printable(text.toWellFormed())
    .replace(/[\ufffe\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
    .replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
