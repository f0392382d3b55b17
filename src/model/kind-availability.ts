import { serverWords } from "./availability.ts";
import { type Catalogue, factHolds } from "./catalogue.ts";
import { dialects } from "./dialects.ts";
import { kindOf } from "./kinds.ts";
import { ownerOfKind } from "./owner.ts";
import type { Kind, Platform } from "./types.ts";

/** A sentence on why this platform does not have a kind yet that a fact of a dialect introduces; undefined if it does. */
export function missingSection(
  catalogue: Catalogue,
  kind: Kind,
  section: string,
  platform: Platform,
): string | undefined {
  const { fact } = kindOf(catalogue, kind);
  if (fact === undefined || factHolds(catalogue, fact, platform.release)) return undefined;
  const stating = [...dialects.values()].find(({ facts }) => facts.some(({ id }) => id === fact));
  const { from } = stating?.facts.find(({ id }) => id === fact) ?? {};
  const what = `${section} of ${ownerOfKind(kind)}s exist from release ${from} on, in dialect ${stating?.name}`;
  const other = stating?.name === catalogue.dialect ? "" : `, and server.dialect is ${catalogue.dialect}`;
  return `${what}; ${serverWords(platform)}${other}`;
}
