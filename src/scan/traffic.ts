import { memoized } from "../base/memoize.ts";
import { hints, type RestDetection, schedule, vocabulary } from "../model/deprecations.ts";
import { type DetectionOf, rewriting, type Use } from "./source.ts";

/** A stretch of a file, or a text that is put together from several: offsets are known where a part is of one. */
export interface Piece {
  readonly text: string;
  /** The offset in the file of a stretch of the text; undefined where it is not of one piece. */
  readonly at: (from: number, to: number) => number | undefined;
  /** Whether the text at an index is that of a name that is used elsewhere too. */
  readonly isShared?: (index: number) => boolean;
}

/** What a file says by naming an address: `nameOffset` is where its text begins, `offset` where its path does. */
export function pathMention(address: Address, nameOffset: number, offset = nameOffset): Mention {
  return { about: "path", address, name: "", value: undefined, nameOffset, offset, own: true };
}

/** A text as it stands in the file. */
export function pieceAt(text: string, start: number): Piece {
  return { text, at: (from) => start + from };
}

/** What a request asks for. */
export interface Address {
  /** Below /api/v4, with holes for what is not known. */
  readonly path: string;
  /** Whether it can be an address of nothing else. */
  readonly sure: boolean;
}

/** Something that a file says of a request or its response, and where. */
export interface Mention {
  readonly about: "path" | "sent" | "compared" | "read";
  readonly address: Address;
  /** A parameter or an attribute; empty for a path. */
  readonly name: string;
  /** The value that is sent or compared with; undefined where it is no literal. */
  readonly value: string | undefined;
  /** Of the value where there is one, else of the name or the path. */
  readonly offset: number;
  /** Of the name, where there is one. */
  readonly nameOffset: number;
  /** Whether other text there means the same to everything else in the file. */
  readonly own: boolean;
}

const detections = [...schedule, ...hints].flatMap(({ detect }) => (detect ?? []).filter((each) => each.by === "rest"));

/** Names that detections ask for: no others are followed. */
export const wantedNames: ReadonlySet<string> = new Set(
  detections.flatMap(({ parameter, attribute }) => [parameter, attribute].filter((name) => name !== undefined)),
);

/** First segments of the paths that anything is known of. */
export const roots: ReadonlySet<string> = new Set(
  detections.flatMap(({ paths }) => paths.map((path) => path.split("/")[1] ?? "")),
);

/** A template of paths as a pattern. */
const patternOf = memoized((template: string) => new RegExp(`^${template.slice(1).replace(/:\w+/g, "[^/]+")}/?$`));

function isMeant({ paths }: RestDetection, { path }: Address): boolean {
  return paths.some((template) => patternOf(template).test(path));
}

/** Whether a path is of this API and no other, whatever the server. */
export function isOwnPath(path: string): boolean {
  return [...vocabulary.code.own].some((template) => patternOf(template).test(path));
}

/** Uses of a path, of a parameter or of what is read from an response. What is likely and not certain is a hint. */
export function restUses(mentions: readonly Mention[], { detection }: DetectionOf<RestDetection>): readonly Use[] {
  return (
    mentions
      .filter((mention) => isAbout(mention, detection) && isMeant(detection, mention.address))
      // What would be a hint in any case is none where it is not certain.
      .filter(({ address }) => address.sure || !detection.hint)
      .map((mention) => useOf(mention, detection))
  );
}

function isAbout({ about, name, value }: Mention, { parameter, attribute, values }: RestDetection): boolean {
  if (parameter === undefined && attribute === undefined) return about === "path";
  if (attribute !== undefined) return (about === "read" || about === "compared") && name === attribute;
  if (name !== parameter) return false;
  if (!values) return about === "sent";
  return (about === "sent" || about === "compared") && values.includes(value ?? "");
}

function useOf(mention: Mention, detection: RestDetection): Use {
  const { about, address, value, own } = mention;
  const { segment, replace, returned, values } = detection;
  const offset = about === "sent" && !values ? mention.nameOffset : mention.offset;
  const likely = address.sure ? {} : { isLikely: true };
  if (segment !== undefined) {
    const segments = address.path.split("/");
    const at = offset + segments.slice(0, segments.indexOf(segment)).join("/").length + 1;
    return { offset: at, ...likely, ...rewriting(at, at + segment.length, replace) };
  }
  const since = about === "compared" && returned !== undefined ? { since: returned } : {};
  if (value === undefined || !own) return { offset, ...likely };
  return { offset, ...likely, ...since, ...rewriting(offset, offset + value.length, replace) };
}
