import { exit, UserError } from "../base/exit.ts";
import { didYouMean } from "../base/nearest.ts";
import type { Before } from "./report.ts";

/** One `--report KIND[=PATH]`. Without a path it goes to stdout, in place of the text. */
export interface ReportTarget {
  readonly kind: string;
  readonly path: string | undefined;
}

/** How each kind of report is made of a document; `text` is what people read. */
export type Renderers = Readonly<Record<string, (before: Before) => string>>;

/** The reports asked for; throws {@link UserError} for a kind that the command does not have. */
export function reportTargets(asked: readonly string[], kinds: readonly string[]): ReportTarget[] {
  const inPlace = asked.filter((each) => !each.includes("="));
  if (inPlace.length > 1) {
    throw new UserError(`only one report can go to stdout; give ${inPlace.slice(1).join(" and ")} a path`, exit.usage);
  }
  return asked.map((each) => {
    const [kind = "", ...rest] = each.split("=");
    if (!kinds.includes(kind)) throw new UserError(unknownKind(kind, kinds), exit.usage);
    const path = rest.join("=");
    if (rest.length > 0 && !path)
      throw new UserError(`--report ${kind}= needs a path after the equals sign`, exit.usage);
    return { kind, path: path || undefined };
  });
}

function unknownKind(kind: string, kinds: readonly string[]): string {
  return `--report takes ${kinds.join(", ")}, not ${JSON.stringify(kind)}${didYouMean(kind, kinds)}`;
}
