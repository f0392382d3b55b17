import { addressParts } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";

/** An error message if a slug belongs to another dialect; otherwise undefined. */
export function foreignSlug(slug: string, { foreignNames, dialect }: Catalogue): string | undefined {
  const other = foreignNames.get(slug);
  return other && `${slug} is a name of dialect ${other.dialect}; here, in dialect ${dialect}, it is ${other.name}`;
}

/** The same for a glob over addresses that names an integration, since it would match nothing. */
export function foreignGlob(glob: string, catalogue: Catalogue): string | undefined {
  const [, rest] = addressParts(glob);
  const [, kind = "", key = ""] = /^([^/]*)\/(.*)$/.exec(rest) ?? [];
  return kind === "license" ? undefined : foreignSlug(key, catalogue);
}
