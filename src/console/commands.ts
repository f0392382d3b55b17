import { shellWord } from "../base/shell-word.ts";
import type { ShownCommand } from "../report/html/markup.ts";
import type { FleetCause } from "./causes.ts";

/** Commands for one difference: what the manifests declare is applied, or what is live is written into them. */
export function commandsForDifference(address: string, cause: "drift" | "pending"): readonly ShownCommand[] {
  return commandsFor([literal(address)], cause);
}

/** The same for all projects of a cause; none for projects that cannot be read. */
export function commandsForCause({ cause, shapes, within, projects }: FleetCause): readonly ShownCommand[] {
  if (cause === "unreadable") return [];
  const [scope, rests] = [scopeOf(within, projects), [...new Set(shapes.map(({ rest }) => rest))]];
  const globs = rests.length > maxTargets ? [scope] : rests.map((rest) => `${scope}:${globOf(rest)}`);
  return commandsFor(globs, cause);
}

/** Globs that a command names one by one. */
const maxTargets = 3;

function commandsFor(globs: readonly string[], cause: "drift" | "pending"): readonly ShownCommand[] {
  const apply = `evenkeel apply ${globs.map((glob) => `--target ${shellWord(glob)}`).join(" ")}`;
  const accept = `evenkeel accept ${globs.map(shellWord).join(" ")}`;
  if (cause === "pending") return [{ purpose: "To apply it", line: apply }];
  return [
    { purpose: "To restore what is declared", line: apply },
    { purpose: "To keep what is live", line: accept },
  ];
}

function scopeOf(within: string, projects: number): string {
  if (projects === 1) return literal(within);
  return within === "" ? "*" : `${literal(within)}/*`;
}

/** A difference of several projects, with any path where each has its own. */
function globOf(rest: string): string {
  return rest.endsWith("/*")
    ? rest
    : rest
        .split(/\$\{(?:project|group)\.path\}/)
        .map((part) => literal(part.replaceAll("$${", "${")))
        .join("*");
}

/** A glob that matches a text; `?` stands for a character that means something in globs. */
function literal(text: string): string {
  return text.replace(/[*?[\]{}\\!]/g, "?");
}
