import type { JsonObject as Row } from "../../base/json.ts";
import { knownSecrets } from "../../base/known-secrets.ts";
import { CallFailed } from "../../client/failure.ts";
import { call } from "../../model/call.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { identityOf, kindOf } from "../../model/kinds.ts";
import type { Kind, Project, Resource, Scalar } from "../../model/types.ts";

/** True if a live value contains a secret that this process knows. */
export function isSecret(value: Scalar): boolean {
  return typeof value === "string" && knownSecrets.isIn(value);
}

type Named = Pick<Resource, "kind" | "key">;

/** True if a live key contains no secret, or manifests declare it. */
export function mayShowKey(catalogue: Catalogue, live: Named, declared: readonly Resource[]): boolean {
  if (!isSecret(live.key)) return true;
  const identity = identityOf(catalogue, live);
  return declared.some((each) => identityOf(catalogue, each) === identity);
}

/** A resource that is not read because its key contains a secret; the key is redacted. */
export interface RedactedResource extends Named {
  readonly failure: CallFailed;
}

/** A row with a secret in its key: reported with the key redacted, and neither counted nor changed. */
export function redactedResource(catalogue: Catalogue, project: Project, kind: Kind, key: string): RedactedResource {
  const { read } = kindOf(catalogue, kind);
  const path = read ? call(read.list, { id: project.name }).path : "";
  const what = "answered with a name that holds a secret, which is dropped on reading";
  const failure = new CallFailed({ method: "GET", path, url: path, kind: "shape", what, status: 200, attempts: 1 });
  return { kind, key: knownSecrets.clean(key), failure };
}

/** The `updated_at` of a row, unless it contains a secret instead of a time. */
export function updatedAtOf({ updated_at: time }: Row): string | undefined {
  return typeof time === "string" && (plainTime.test(time) || !isSecret(time)) ? time : undefined;
}

/** Skips the search for secrets in plain times: it would be slow, because most rows have different ones. */
const plainTime = /^\d{4}-\d\d-\d\dT[\d:.]{1,20}(?:Z|[+-][\d:]{4,5})$/;
