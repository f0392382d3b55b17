import { isAlias, isMap, isSeq, type Node } from "yaml";
import { configurationOf, type Reference, type Taken } from "./ci.ts";
import { kindsByName } from "./recognise.ts";
import { yamlDocuments } from "./yaml.ts";
import { anchorsIn, stringOf, valueAt } from "./yaml-nodes.ts";

/** What the files of a scan say about each other. */
export interface Tree extends Taken {
  /** Files that are CI/CD configuration because another one includes them. */
  readonly included: ReadonlySet<string>;
}

/** Of a file that is scanned by itself. */
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
  return [...known].filter((file) => isMatch(path, file));
}

/** `*` is anything but a slash, `**` anything. Takes as many steps as the two are long, multiplied. */
function isMatch(pattern: string, text: string): boolean {
  const parts = pattern.slice(0, longest).match(/\*\*+\/?|[^*]|\*/g) ?? [];
  let ends = new Set([0]);
  for (const part of parts) {
    const next = new Set<number>();
    for (const end of ends) for (const at of endsOf(part, text, end, next)) next.add(at);
    ends = next;
  }
  return ends.has(text.length);
}

const longest = 500;

function endsOf(part: string, text: string, from: number, known: ReadonlySet<number>): readonly number[] {
  if (!part.startsWith("*")) return text[from] === part ? [from + 1] : [];
  const ends: number[] = [];
  for (let at = from; at <= text.length && !(at > from && known.has(at)); at++) {
    ends.push(at);
    if (part === "*" && text[at] === "/") break;
  }
  return ends;
}
