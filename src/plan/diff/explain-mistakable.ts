import { kindOf } from "../../model/kinds.ts";
import { compareReleases } from "../../model/releases.ts";
import { keyFieldsOf, keyValuesOf } from "../../model/resource-kind.ts";
import type { Change, Live, Problem } from "../../model/types.ts";
import type { FullDiffOptions } from "./options.ts";

/** Explains why a change is left out, because a server of this release may make it to another resource; undefined if not. */
export function explainMistakable(
  { address, project, kind, key, action, origin }: Change,
  others: readonly Pick<Live, "kind" | "key">[],
  { catalogue, release }: FullDiffOptions,
): Problem | undefined {
  const { file } = kindOf(catalogue, kind);
  const filtered = (name: string) => file.fields.properties[name]?.["x-filtered"];
  const part = keyFieldsOf(file).find((name) => isBefore(release, filtered(name)));
  if (part === undefined || action === "create") return undefined;
  const restOf = (text: string) => JSON.stringify({ ...keyValuesOf(file, text), [part]: "" });
  const other = others.find((each) => each.kind === kind && each.key !== key && restOf(each.key) === restOf(key));
  if (!other) return undefined;
  const message =
    `${address} is left alone: before release ${filtered(part)} the server ignores ${part}, ` +
    `and could take ${other.key} for it; it is ${release}`;
  return { severity: "error", rule: "cannot-request", message, place: origin.place(), project };
}

function isBefore(release: string | undefined, since: string | undefined): boolean {
  return release !== undefined && since !== undefined && compareReleases(release, since) < 0;
}
