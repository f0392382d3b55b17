import { type Document, isMap, LineCounter, type Node, type Pair, parseDocument } from "yaml";
import { importGitlabform } from "../../src/author/import/from/gitlabform/import.ts";
import { policyFileText } from "../../src/author/import/policy.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";

const choice = {
  catalogue: catalogueOf("gitlab"),
  platform: { release: "18.0", dialect: "gitlab", tier: "ultimate" },
  secrets: "by-project",
} as const;

/** Keys and indices from the root of a configuration. */
export type Path = readonly (string | number)[];
/** A mapping of a configuration. */
export type Mapping = Record<string, unknown>;

/** Every mapping below a value, with its path. */
export function mappingsIn(value: unknown, path: Path = []): readonly Path[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => mappingsIn(item, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return [path, ...Object.entries(value).flatMap(([key, each]) => mappingsIn(each, [...path, key]))];
}

/** The policies of a configuration as one text, and where its problems are, as line:column. */
export function imported(text: string) {
  const { drafts, problems } = importGitlabform({ name: "config.yml", text }, choice);
  return {
    text: drafts.map((draft) => policyFileText([draft], "s", choice.catalogue)).join("---\n"),
    places: problems
      .filter(isWhole)
      .flatMap(({ place, message }) => [
        `${place?.line}:${place?.column}`,
        ...[...message.matchAll(/config\.yml:(\d+:\d+)/g)].map(([, also = ""]) => also),
      ]),
  };
}

/** A pattern may be left out for some projects: that says nothing about what is below it. */
function isWhole({ message }: { readonly message: string }): boolean {
  return !message.endsWith("which have settings of their own");
}

/** Whether a problem is at a key of a path. */
export function isReported(text: string, path: Path): boolean {
  return unreportedIn(text, [path]).length === 0;
}

/** The paths that have no problem at any of their keys. */
function unreportedIn(text: string, paths: readonly Path[]): readonly Path[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const places = new Set(imported(text).places);
  return paths.filter((path) => !placesOf(document, path, lines).some((place) => places.has(place)));
}

/** Where the keys of a path stand, as line:column. */
function placesOf(document: Document, path: Path, lines: LineCounter): readonly string[] {
  return path.flatMap((part, index) => {
    const parent = index === 0 ? document.contents : document.getIn(path.slice(0, index), true);
    const pair = isMap(parent) ? parent.items.find(({ key }) => String(key) === String(part)) : undefined;
    const offset = (pair as Pair<Node> | undefined)?.key.range?.[0];
    if (offset === undefined) return [];
    const { line, col } = lines.linePos(offset);
    return [`${line}:${col}`];
  });
}
