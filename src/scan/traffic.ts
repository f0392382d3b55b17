import { memoized } from "../base/memoize.ts";
import { hints, type RestDetection, schedule, vocabulary } from "../model/deprecations.ts";
import { type DetectionOf, rewriting, type Use } from "./source.ts";

/** A text that consists of parts of a file; offsets are known within each part. */
export interface Piece {
  readonly text: string;
  /** The offset in the file of a range of the text; undefined where it spans several parts. */
  readonly at: (from: number, to: number) => number | undefined;
  /** Whether the text at an index is the value of a name that is used elsewhere too. */
  readonly isShared?: (index: number) => boolean;
}

/** The mention of an address; `offset` is that of its path. */
export function pathMention(address: Address, nameOffset: number, offset = nameOffset): Mention {
  return { about: "path", address, name: "", value: undefined, nameOffset, offset, own: true };
}

/** A text at one offset of the file. */
export function pieceAt(text: string, start: number): Piece {
  return { text, at: (from) => start + from };
}

/** The address of a request. */
export interface Address {
  /** Below /api/v4, with holes for unknown parts. */
  readonly path: string;
  /** Whether it is certainly an address of this API. */
  readonly sure: boolean;
}

/** A path, parameter or response field that a file mentions, and where. */
export interface Mention extends SentParameter {
  readonly about: "path" | "sent" | "compared" | "read";
  readonly address: Address;
}

/** A parameter of a request, or a field of a response, with its value. */
export interface SentParameter {
  /** Empty for a path. */
  readonly name: string;
  /** The literal value that is sent or compared with. */
  readonly value: string | undefined;
  /** Offset of the value, else of the name or the path. */
  readonly offset: number;
  /** Offset of the name. */
  readonly nameOffset: number;
  /** Whether the value can be replaced without affecting anything else in the file. */
  readonly own: boolean;
}

const detections = [...schedule, ...hints].flatMap(({ detect }) => (detect ?? []).filter((each) => each.by === "rest"));

/** Parameters and attributes that detections look for; others are not tracked. */
export const wantedNames: ReadonlySet<string> = new Set(
  detections.flatMap(({ parameter, attribute }) => [parameter, attribute].filter((name) => name !== undefined)),
);

/** First segments of the paths that detections look for. */
export const roots: ReadonlySet<string> = new Set(
  detections.flatMap(({ paths }) => paths.map((path) => path.split("/")[1] ?? "")),
);

const patternOf = memoized((template: string) => new RegExp(`^${template.slice(1).replace(/:\w+/g, "[^/]+")}/?$`));

function isMeant({ paths }: RestDetection, { path }: Address): boolean {
  return paths.some((template) => patternOf(template).test(path));
}

/** Whether only this API has such a path. */
export function isOwnPath(path: string): boolean {
  return [...vocabulary.code.own].some((template) => patternOf(template).test(path));
}

/** Uses of a path, a parameter or a response field. An uncertain one is a hint. */
export function restUses(mentions: readonly Mention[], { detection }: DetectionOf<RestDetection>): readonly Use[] {
  return (
    mentions
      .filter((mention) => isAbout(mention, detection) && isMeant(detection, mention.address))
      // A detection of hints needs certain addresses.
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
