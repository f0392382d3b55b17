import { each, type Markup, markup } from "./markup.ts";

/** A command line, and what it is for. */
export interface ShownCommand {
  readonly purpose: string;
  readonly line: string;
}

/** Commands to copy, each with its purpose. */
export function commandsNode(commands: readonly ShownCommand[]): Markup {
  if (commands.length === 0) return markup``;
  return markup`<dl class="commands">${each(commands, ({ purpose, line }) => markup`<div><dt>${purpose}</dt><dd>${commandNode(line)}</dd></div>`)}</dl>`;
}

/** A command line, which the page's script gives a button that copies it. */
function commandNode(line: string): Markup {
  return markup`<code class="command">${line}</code>`;
}
