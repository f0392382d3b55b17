import { printable } from "../../base/printable.ts";
import type { NextStep } from "../terminal.ts";

/** A fragment of an HTML page. Text from outside cannot become markup in it. */
export class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

type Interpolated = Markup | string | number | readonly Interpolated[];

/** Every interpolated string is escaped, also in attributes, and invisible characters are written out. */
export function markup(strings: TemplateStringsArray, ...values: readonly Interpolated[]): Markup {
  let text = strings[0] ?? "";
  values.forEach((value, index) => {
    text += insertedText(value) + (strings[index + 1] ?? "");
  });
  return new Markup(text);
}

function insertedText(value: Interpolated): string {
  if (value instanceof Markup) return value.toString();
  if (typeof value === "string") return escapedText(value);
  return typeof value === "number" ? String(value) : value.map(insertedText).join("");
}

/** Printable ASCII that neither markup nor a CI runner interprets: most text, which needs no escaping. */
const plainText = /^[ !$%(-;=?-~]*$/;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapedText(text: string): string {
  return plainText.test(text) ? text : printable(text).replace(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** Marks text as safe: it belongs to this program or is already escaped. */
export function ownMarkup(text: string): Markup {
  return new Markup(text);
}

export function each<Item>(items: readonly Item[], fragment: (item: Item, index: number) => Markup): readonly Markup[] {
  return items.map(fragment);
}

/** Text that keeps its line breaks, written so that no line of the page begins with it. */
export function multiline(text: string): Markup {
  if (!text.includes("\n")) return markup`${text}`;
  return ownMarkup(text.split("\n").map(escapedText).join("&#10;"));
}

/** A path or a name that may be wrapped after `/` and `_`. */
export function breakable(text: string): Markup {
  return markup`${text.split(/(?<=[/_])/).map((part, index) => markup`${index > 0 ? ownMarkup("<wbr>") : ""}${part}`)}`;
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A list that shows its first `most` items and folds the others under `title`. */
export function longList(items: readonly Markup[], most: number, className: string, title: string): Markup {
  const list = markup`<ul class="${className}">${items.slice(0, most)}</ul>`;
  if (items.length <= most) return list;
  return markup`${list}<details><summary>${title}</summary><ul class="${className}">${items.slice(most)}</ul></details>`;
}

/** A status, outcome or effect as a coloured word. */
export function badge(status: string, tone = status): Markup {
  return markup`<span class="badge ${tone}">${status}</span>`;
}

export function factList(facts: readonly (readonly [name: string, value: string | Markup])[]): Markup {
  const shown = facts.filter(([, value]) => value !== "");
  return markup`<dl class="facts">${each(shown, ([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Commands, each with its purpose. The page's script adds a copy button to each. */
export function commandsNode(commands: readonly NextStep[]): Markup {
  if (commands.length === 0) return markup``;
  return markup`<dl class="commands">${each(commands, ([line, purpose]) => markup`<div><dt>${capitalised(purpose)}</dt><dd><code class="command">${line}</code></dd></div>`)}</dl>`;
}
