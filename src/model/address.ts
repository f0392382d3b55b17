import { type GlobRules, globFault, globMatcher, isGlob } from "../base/glob.ts";
import { nearest } from "../base/nearest.ts";
import type { Catalogue } from "./catalogue.ts";
import { idFault, kindOfWord, kindWord, ownerOfName } from "./owner.ts";
import { isSingleton } from "./resource-kind.ts";
import type { Kind } from "./types.ts";

/** The address of a resource: `payments/api:integration/irc-gateway`, of a group `payments/:integration/slack` (docs/running.md). */
export function addressOf(project: string, kind: Kind, key: string): string {
  return `${project}:${resourceName(kind, key)}`;
}

/** A resource within its project, as in addresses and reports: `license/MIT`, or `settings` for a singleton. */
export function resourceName(kind: Kind, key: string): string {
  return key === "" ? kindWord(kind) : `${kindWord(kind)}/${key}`;
}

export function storageAddress(key: string): string {
  return `storage:${key}`;
}

/**
 * A case-insensitive matcher for addresses. `*` also matches `/`. The part before the first `:` matches the project,
 * the part after it `kind/key`; a glob without `:` matches all resources of the project. `@*` at the end also matches a
 * key without its last part, which addresses omit if it is the default.
 */
export function addressMatcher(glob: string): (address: string) => boolean {
  const [project, rest] = split(glob);
  const matchesProject = pathMatcher(project);
  const matchesRest = rest === undefined ? () => true : restMatcher(rest);
  return (address) => {
    const [addressProject, addressRest = ""] = split(address);
    return matchesProject(addressProject) && matchesRest(addressRest);
  };
}

export function addressParts(address: string): [project: string, rest: string] {
  const [project, rest = ""] = split(address);
  return [project, rest];
}

function split(address: string): [string, string | undefined] {
  const colon = address.indexOf(":");
  return colon < 0 ? [address, undefined] : [address.slice(0, colon), address.slice(colon + 1)];
}

/** Unlike for file paths, `*` also matches `..`. */
const addressRules: GlobRules = { crossing: true, cased: false, dots: true };

function restMatcher(glob: string): (text: string) => boolean {
  const matches = pathMatcher(glob);
  if (!glob.replace(/\\./gsu, "").endsWith(anyPart)) return matches;
  const matchesShort = pathMatcher(glob.slice(0, -anyPart.length));
  return (text) => matches(text) || matchesShort(text);
}

const anyPart = "@*";

/** An empty part matches only an empty part. */
export function pathMatcher(glob: string): (text: string) => boolean {
  return glob === "" ? (text) => text === "" : globMatcher(glob, addressRules);
}

/** Completes "expected …" for an invalid glob over addresses; undefined for a valid one. */
export function addressGlobFault(glob: string): string | undefined {
  if (glob === "") return "a glob that is not empty";
  if (/^!|:!/.test(glob)) return "a glob without a leading !, which is not supported; name what should match";
  return idFault(split(glob)[0]) ?? globFault(glob);
}

/**
 * Like {@link addressGlobFault} for a glob that selects targets: a misspelled kind, which would match nothing, is
 * invalid too.
 */
export function targetFault(glob: string, { kinds }: Pick<Catalogue, "kinds">): string | undefined {
  return addressGlobFault(glob) ?? kindFault(glob, kinds);
}

/** Accepts a word without a similar kind: it may name a kind that was removed from the workspace. */
function kindFault(glob: string, kinds: Catalogue["kinds"]): string | undefined {
  const [project, rest] = split(glob);
  if (rest === undefined || pathMatcher(project)("storage")) return undefined;
  const [word = "", ...key] = rest.split("/");
  const kindNames = new Map(Array.from(kinds, ([kind, row]) => [kindWord(kind), row]));
  const known = kindNames.get(word.toLowerCase());
  const isSingle = known !== undefined && isSingleton(known.file);
  if (isGlob(word) || (known && isSingle === (key.length === 0))) return undefined;
  const meant = known ? word : nearest(word, kindNames.keys());
  if (meant === undefined && /^[a-z][a-z0-9_]*$/.test(word) && key.length > 0) return undefined;
  const name = isSingle ? word : [meant ?? "integration", ...(key.length > 0 ? key : ["*"])].join("/");
  return `the address of a resource, such as ${project}:${name}`;
}

export interface AddressParts {
  readonly project: string;
  readonly kind: Kind;
  readonly key: string;
}

/** Undefined unless it is the address of a resource of a project or a group. */
export function partsOfAddress(address: string): AddressParts | undefined {
  const [project, rest = ""] = split(address);
  const [, word, , key = ""] = /^([a-z][a-z0-9_]*)(\/(.+))?$/s.exec(rest) ?? [];
  return project && word ? { project, kind: kindOfWord(ownerOfName(project), word), key } : undefined;
}
