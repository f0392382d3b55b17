import { addressParts } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { dialects } from "../model/dialects.ts";
import { isListedByCatalogue } from "../model/kinds.ts";

/** An error message if a slug belongs to another dialect; otherwise undefined. */
export function foreignSlug(slug: string, { foreignNames, dialect }: Catalogue): string | undefined {
  const other = foreignNames.get(slug);
  return other && `${slug} is a name of dialect ${other.dialect}; here, in dialect ${dialect}, it is ${other.name}`;
}

/** An error message if only another dialect has an integration; otherwise undefined. */
export function addedElsewhere(slug: string, { dialect: here }: Catalogue): string | undefined {
  const adds = [...dialects.values()].find(({ additions }) => additions && Object.hasOwn(additions.integrations, slug));
  if (!adds || adds.name === here) return undefined;
  return `only dialect ${adds.name} has the integration ${slug}; here, the dialect is ${here}`;
}

/** The same for a glob over addresses that names an integration, since it would match nothing. */
export function foreignGlob(glob: string, catalogue: Catalogue): string | undefined {
  const [, rest] = addressParts(glob);
  const [, kind = "", key = ""] = /^([^/]*)\/(.*)$/.exec(rest) ?? [];
  return catalogue.kinds.has(kind) && !isListedByCatalogue(kind) ? undefined : foreignSlug(key, catalogue);
}
