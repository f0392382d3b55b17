import type { JsonObject } from "../base/json.ts";
import { firstFew } from "../base/text-format.ts";
import { CallFailed } from "../client/failure.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { otherDialectOf } from "../model/dialect-evidence.ts";
import type { Call } from "../model/types.ts";

/**
 * Ends the run if a list of integrations is in the names of another dialect than the workspace: nothing would match then, and
 * all that is declared would seem to be missing. @throws CallFailed.
 */
export function refuseOtherDialect(catalogue: Catalogue, { method, path }: Call, rows: readonly JsonObject[]): void {
  const other = otherDialectOf(
    catalogue,
    rows.map(({ slug }) => String(slug)),
  );
  if (!other) return;
  const names = `lists ${firstFew(other.slugs)}, in the names of dialect ${other.dialect}`;
  const what = `${names}, and the workspace uses dialect ${catalogue.dialect}: ${remedy(other.dialect)}`;
  throw new CallFailed({ method, path, url: path, kind: "dialect", what, status: 200, endsRun: true, attempts: 1 });
}

function remedy(dialect: string): string {
  return `set server.dialect: ${dialect} in evenkeel.yaml, and use its names in the manifests, which evenkeel explain lists`;
}
