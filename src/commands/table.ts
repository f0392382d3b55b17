import type { CommandRow, Commands, OptionsOf } from "./command.ts";
import { manifestCommands, reviewCommands, startCommands } from "./table-policies.ts";
import { apiCommands, operateCommands, rehearsalCommands, serverCommands } from "./table-server.ts";

const headings = {
  "Get started": startCommands,
  "Write manifests": manifestCommands,
  "Change the server": serverCommands,
  Review: reviewCommands,
  Operate: operateCommands,
  "The rest of the API": apiCommands,
  Rehearse: rehearsalCommands,
} as const;

const hidden = {
  __complete: {
    arguments: "[word...]",
    summary: "for completion scripts: the words that can replace the last one",
    examples: [["evenkeel __complete -- explain irc-", "one candidate per line"]],
    flags: [],
    hidden: true,
  },
} as const satisfies Commands;

const table = {
  ...startCommands,
  ...manifestCommands,
  ...serverCommands,
  ...reviewCommands,
  ...operateCommands,
  ...apiCommands,
  ...rehearsalCommands,
  ...hidden,
};

export type CommandName = keyof typeof table;

export type Options<Name extends CommandName> = OptionsOf<(typeof table)[Name]["flags"]>;

/** A command with its name: one word, or two (`deployments list` is listed below `deployments`). */
export interface CliCommand extends CommandRow {
  readonly name: CommandName;
}

export const commands: readonly CliCommand[] = Object.entries(table).map(([name, row]) => ({
  name: name as CommandName,
  ...row,
}));

/** First words that are not commands themselves: alone, they list their subcommands. */
export const groups: Readonly<Record<string, string>> = {
  deployments: "the deployment records of a project",
  storage: "repositories that remain on a storage",
  lock: "the lease that prevents concurrent applies",
};

export function groupOf(name: string): string {
  const [first = ""] = name.split(" ");
  const belongs = (names: object) => Object.keys(names).some((each) => each.split(" ")[0] === first);
  return Object.entries(headings).find(([, commands]) => belongs(commands))?.[0] ?? "Other commands";
}
