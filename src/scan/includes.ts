import { isAlias, isMap, isSeq, type Node } from "yaml";
import { globMatcher } from "../base/glob.ts";
import { configurationOf, type Reference, type Taken } from "./ci.ts";
import { kindsByName } from "./recognise.ts";
import { yamlDocuments } from "./yaml.ts";
import { anchorsIn, stringOf, valueAt } from "./yaml-nodes.ts";

/** What the files of a scan say about each other. */
export interface Tree extends Taken {
  /** Files that are CI/CD configuration because another one includes them. */
  readonly included: ReadonlySet<string>;
}

/** The tree of a file that is scanned by itself. */
export const noTree: Tree = { included: new Set(), extended: new Set(), references: new Map() };

/**
 * Follows `include: local` from every file that is CI/CD configuration by its name.
 * @param files All names of the scan, with forward slashes.
 * @param read The text of one of them; undefined where it cannot be read.
 */
export function treeOf(files: readonly string[], read: (file: string) => string | undefined): Tree {
  const known = new Set(files);
  const waiting = files.filter((file) => kindsByName(file).has("ci"));
  const done = new Set(waiting);
  const included = new Set<string>();
  const extended = new Set<string>();
  const references = new Map<string, readonly Reference[]>();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    for (const document of yamlDocuments(read(file) ?? "") ?? []) {
      const { taken } = configurationOf(document);
      for (const name of taken.extended) extended.add(name);
      for (const [name, found] of taken.references)
        references.set(name, [...(references.get(name) ?? []), ...found].slice(0, 60));
      for (const path of localsIn(document)) for (const found of resolved(path, file, known)) follow(found);
    }
  }
  return { included, extended, references };

  function follow(file: string): void {
    included.add(file);
    if (done.has(file)) return;
    done.add(file);
    waiting.push(file);
  }
}

/** Paths that a document includes, and those of child pipelines that its jobs start. */
function localsIn(document: Node | null): readonly string[] {
  if (!isMap(document)) return [];
  const anchors = anchorsIn(document);
  const triggers = document.items.map(({ value }) => valueAt(valueAt(value, "trigger"), "include"));
  return [valueAt(document, "include"), ...triggers].flatMap((value) => pathsOf(value));

  function pathsOf(value: unknown): readonly string[] {
    const node = isAlias(value) ? anchors.get(value.source) : value;
    if (isSeq(node)) return node.items.flatMap((item) => (isSeq(item) ? [] : pathsOf(item)));
    const path = stringOf(isMap(node) ? valueAt(node, "local") : node);
    return path !== undefined && !/^[a-z]+:\/\//i.test(path) ? [path] : [];
  }
}

/** Paths begin at the root of a repository: the nearest folder above the including file that has such a file. */
function resolved(path: string, from: string, known: ReadonlySet<string>): readonly string[] {
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

/** Only stars are wildcards in an include: `*` is anything but a slash, and `**` crosses slashes before a name as well. */
function includeMatcher(path: string): (file: string) => boolean {
  const literal = path.replace(/[?[\]{}\\]/g, "\\$&");
  return globMatcher(literal.replace(/(^|\/)\*\*+(?=[^/*])/g, "$1{**/,}*"), asWritten);
}
