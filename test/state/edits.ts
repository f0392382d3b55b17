import { grouped } from "../../src/base/grouped.ts";
import type { LedgerEdit, LedgerEdits } from "../../src/state/state.ts";

/** Edits as a store takes them. A project is spelled as in the last of its edits. */
export function editsOf(edits: readonly LedgerEdit[]): LedgerEdits {
  const byName = grouped(edits, ({ project }) => project.toLowerCase());
  const projects = Array.from(byName.values(), (own) => own.at(-1)?.project ?? "");
  return { projects, of: (project) => byName.get(project.toLowerCase()) ?? [] };
}
