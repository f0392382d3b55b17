import type { CommandRow, OptionsOf } from "./command.ts";
import { groupSummaries, rows } from "./command-rows.ts";

export type CommandName = keyof typeof rows;

export type Options<Name extends CommandName> = OptionsOf<(typeof rows)[Name]["flags"]>;

/** A command with its name: one word, or two (`deployments list` is listed below `deployments`). */
export interface CliCommand extends CommandRow {
  readonly name: CommandName;
}

/** The commands of `schemas/commands.yaml`. */
export const commands: readonly CliCommand[] = Object.entries(rows).map(([name, row]) => ({
  name: name as CommandName,
  ...row,
}));

/** First words that are not commands themselves: alone, they list their subcommands. */
export const groups: Readonly<Record<string, string>> = groupSummaries;

/** The heading of a command or group in the list of commands. */
export function groupOf(name: string): string {
  const [first] = name.split(" ");
  return commands.find((each) => each.name.split(" ")[0] === first)?.heading ?? "";
}
