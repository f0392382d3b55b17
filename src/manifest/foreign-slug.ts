import { addressParts } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { dialects } from "../model/dialects.ts";
import { isListedByCatalogue } from "../model/kinds.ts";

/** An error message for a slug of another dialect; undefined for any other. */
export function foreignSlug(slug: string, { foreignNames, dialect }: Catalogue): string | undefined {
  const other = foreignNames.get(slug);
  return other && `${slug} is a name of dialect ${other.dialect}; here, in dialect ${dialect}, it is ${other.name}`;
}

/** An error message for an integration that only another dialect has; undefined for any other. */
export function addedElsewhere(slug: string, { dialect: here }: Catalogue): string | undefined {
  const adds = [...dialects.values()].find(({ additions }) => additions && Object.hasOwn(additions.integrations, slug));
  if (!adds || adds.name === here) return undefined;
  return `only dialect ${adds.name} has the integration ${slug}; here, the dialect is ${here}`;
}

/** An error message for a glob over addresses that names such an integration, and would match nothing. */
export function foreignGlob(glob: string, catalogue: Catalogue): string | undefined {
  const [, rest] = addressParts(glob);
  const [, kind = "", key = ""] = /^([^/]*)\/(.*)$/.exec(rest) ?? [];
  return catalogue.kinds.has(kind) && !isListedByCatalogue(kind) ? undefined : foreignSlug(key, catalogue);
}
