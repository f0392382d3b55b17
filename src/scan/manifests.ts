import { linesOf } from "../base/lines.ts";
import { parseManifest } from "../manifest/document.ts";
import { readPolicies } from "../manifest/policies.ts";
import { sortedProblems } from "../manifest/problem.ts";
import { readWorkspace } from "../manifest/workspace.ts";
import type { ManifestDetection } from "../model/deprecations.ts";
import { dialects } from "../model/dialects.ts";
import type { Problem } from "../model/types.ts";
import { type DetectionOf, rewriting, type Source, type Use } from "./source.ts";

/** Problems of the policies of a manifest at the release of the scan, in any dialect. */
export function manifestProblems({ file, text, release }: Source): readonly Problem[] {
  const { workspace } = readWorkspace({ documents: [], problems: [] });
  const { documents } = parseManifest(file, text);
  const problems = [...dialects.keys()].flatMap((dialect) => {
    const platform = { ...workspace, server: { ...workspace.server, release, dialect } };
    return readPolicies({ documents, workspace: platform }).problems;
  });
  return sortedProblems(problems);
}

export function manifestUses(
  problems: readonly Problem[],
  { text }: Source,
  { detection }: DetectionOf<ManifestDetection>,
): readonly Use[] {
  const { rule, values, replace } = detection;
  const { lineStarts: starts } = linesOf(text);
  return problems.flatMap(({ rule: broken, place, message }): readonly Use[] => {
    if (broken !== rule || !place) return [];
    const offset = (starts[place.line - 1] ?? 0) + place.column - 1;
    if (!values) return [{ offset, message }];
    const [whole = "", quote = "", word = ""] = /^(["']?)(\w+)\1/.exec(text.slice(offset, offset + 40)) ?? [];
    if (!values.includes(word)) return [];
    const fix = replace === undefined ? undefined : `${quote}${replace}${quote}`;
    return [{ offset, message, ...rewriting(offset, offset + whole.length, fix) }];
  });
}
