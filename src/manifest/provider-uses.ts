import { didYouMean, nearest } from "../base/nearest.ts";
import { builtInSchemes, isProvided, schemeOf } from "../model/secret-scheme.ts";
import type { Problem } from "../model/types.ts";
import { isReference, isScalar, referencesWithin } from "../model/values.ts";
import type { Document } from "./document.ts";
import { notifyReferences } from "./notify.ts";
import type { Policy } from "./policies.ts";
import type { Path } from "./positions.ts";
import { problemAt } from "./problem.ts";
import type { Providers } from "./secret-providers.ts";

/**
 * Problems of references to undefined providers, and of the providers file if a reference needs it. Without such a file,
 * only likely misspellings are reported.
 */
export function providerProblems(
  policies: readonly Policy[],
  providers: Providers | undefined,
  settings?: Document,
): Problem[] {
  const uses = [...policies.flatMap(usesOf), ...(settings ? notifyUses(settings) : [])];
  if (uses.length === 0) return [];
  const broken = providers?.problems.some(({ severity }) => severity === "error");
  return [...(providers?.problems ?? []), ...(broken ? [] : uses.flatMap((use) => undefinedOf(use, providers)))];
}

interface Use {
  readonly scheme: string;
  readonly document: Document;
  readonly path: Path;
}

function usesOf({ entries }: Policy): Use[] {
  const found: Use[] = [];
  for (const { desired, document, path } of entries) {
    for (const name of Object.keys(desired.fields)) {
      const value = desired.fields[name];
      if (value === undefined || isScalar(value)) continue;
      const provided = referencesWithin(value).filter(({ secret }) => isProvided(secret));
      const inside = isReference(value) ? [name, "secret"] : [name];
      found.push(...provided.map(({ secret }) => ({ ...schemeOf(secret), document, path: [...path, ...inside] })));
    }
  }
  return found;
}

function notifyUses(document: Document): Use[] {
  const provided = notifyReferences(document).filter(({ secret }) => isProvided(secret));
  return provided.map(({ secret, path }) => ({ ...schemeOf(secret), document, path }));
}

function undefinedOf({ scheme, ...at }: Use, providers: Providers | undefined): Problem[] {
  if (providers?.known.has(scheme)) return [];
  const unknown = `no provider ${scheme} is defined`;
  const words = builtInSchemes.filter((word) => word !== "manifest");
  if (providers) {
    const meant = didYouMean(scheme, [...providers.known.keys(), ...words]);
    return [problemAt("secret-provider", `${unknown} in the file that EVENKEEL_SECRET_PROVIDERS names${meant}`, at)];
  }
  const meant = nearest(scheme, words);
  if (meant === undefined) return [];
  const problem = problemAt("secret-provider", `${unknown} here; did you mean ${meant}?`, at);
  return [{ ...problem, severity: "warning" }];
}
