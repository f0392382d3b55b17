import { digestOf } from "../base/json.ts";
import { problemAt } from "../manifest/problem.ts";
import type { Validated } from "../manifest/validate.ts";
import type { Problem } from "../model/types.ts";
import { sharesState, unnamed } from "../state/state-address.ts";
import type { Loaded } from "../workspace/load.ts";
import type { Request } from "./request.ts";

/** Manifests of which less counts are other manifests: a plan that was saved before a policy expired is stale. */
export function digestWithout(digest: string, expired: Validated["expired"]): string {
  return expired.length === 0 ? digest : digestOf({ digest, expired: expired.map(({ name }) => name).sort() });
}

/** A shared state keeps workspaces apart by their names (docs/state.md). */
export function nameProblems({ workspace, settings: document }: Loaded, env: Request["env"]): readonly Problem[] {
  if (!document || workspace.name !== undefined || !sharesState(env)) return [];
  return [problemAt("workspace-name", unnamed, { document, path: [] })];
}
