import { isAlias, isMap, isSeq, type Node } from "yaml";
import { globMatcher } from "../base/glob.ts";
import { anchorsIn, stringOf, valueAt } from "./yaml-nodes.ts";

/** One entry of `include`. */
export interface Included {
  /** A file of the same repository; undefined for any other. */
  readonly path: string | undefined;
  /** Whether it has rules. */
  readonly isConditional: boolean;
}

interface Includes {
  readonly own: readonly Included[];
  /** The includes of each child pipeline that its jobs trigger. */
  readonly triggered: readonly (readonly Included[])[];
}

export function includesIn(document: Node | null): Includes {
  if (!isMap(document)) return { own: [], triggered: [] };
  const anchors = anchorsIn(document);
  const triggers = document.items.map(({ value }) => valueAt(valueAt(value, "trigger"), "include"));
  const triggered = triggers.map((include) => entriesOf(include)).filter(({ length }) => length > 0);
  return { own: entriesOf(valueAt(document, "include")), triggered };

  function entriesOf(value: unknown): readonly Included[] {
    const node = isAlias(value) ? anchors(value) : value;
    if (node === undefined || node === null) return [];
    if (isSeq(node)) return node.items.flatMap((item) => entriesOf(item));
    const path = stringOf(isMap(node) ? valueAt(node, "local") : node);
    const isLocal = path !== undefined && !/^[a-z]+:\/\//i.test(path);
    return [{ path: isLocal ? path : undefined, isConditional: isMap(node) && node.has("rules") }];
  }
}

/** Paths are relative to the root of the repository, which is the nearest parent folder in which they exist. */
export function filesIncluded(path: string, from: string, known: ReadonlySet<string>): readonly string[] {
  const folders = from.split("/").slice(0, -1);
  for (let length = folders.length; length >= 0; length--) {
    const wanted = [...folders.slice(0, length), ...path.split("/").filter((part) => part !== "" && part !== ".")].join(
      "/",
    );
    const found = filesAt(wanted, known);
    if (found.length > 0) return found;
  }
  return [];
}

function filesAt(path: string, known: ReadonlySet<string>): readonly string[] {
  if (!path.includes("*")) return known.has(path) ? [path] : [];
  return [...known].filter(includeMatcher(path));
}

const asWritten = { crossing: false, cased: true, dots: true } as const;

/** In an include only stars are wildcards: `*` matches anything but a slash, `**` also slashes. */
function includeMatcher(path: string): (file: string) => boolean {
  const literal = path.replace(/[?[\]{}\\]/g, "\\$&");
  return globMatcher(literal.replace(/(^|\/)\*\*+(?=[^/*])/g, "$1{**/,}*"), asWritten);
}
