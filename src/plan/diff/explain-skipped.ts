import { catalogueEntry, kindOf } from "../../model/kinds.ts";
import type { Desired, Live, Problem } from "../../model/types.ts";
import { describeNamesakes } from "./namesakes.ts";
import type { FullDiffOptions } from "./options.ts";
import { explainNotRemoved } from "./replacement.ts";

/** Explains why `exclusive` skips unlisted live resources with one name; undefined if it removes them. */
export function explainSkipped(
  project: string,
  namesakes: readonly Live[],
  origin: Desired["origin"],
  options: FullDiffOptions,
): Problem | undefined {
  const [live] = namesakes;
  if (!live) return undefined;
  const { catalogue } = options;
  const problem = (severity: Problem["severity"], rule: string, message: string) =>
    ({ severity, rule, message, place: origin.place(), project }) as const;
  if (kindOf(catalogue, live.kind).keys && !catalogueEntry(catalogue, live))
    return problem("warning", "unknown-live", `${live.key} is not in the catalogue, so exclusive leaves it alone`);
  const impossible = explainNotRemoved(options, project, live, origin);
  if (impossible) return impossible;
  if (namesakes.length > 1)
    return problem(
      "error",
      "ambiguous",
      `${describeNamesakes(catalogue, namesakes)}, so exclusive removes none of them; keep one at most`,
    );
  if (!live.inherited) return undefined;
  const message = `${live.key} is inherited from the group, so exclusive leaves it alone; disable it in the group, or list it under disabled`;
  return problem("warning", "inherited", message);
}
