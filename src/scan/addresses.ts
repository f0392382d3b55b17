import { memoized } from "../base/memoize.ts";
import { hints, type RestDetection, schedule, vocabulary } from "../model/deprecations.ts";
import { hole, rewriting, type TextFragment, type Use } from "./text.ts";

export interface Address {
  /** Below /api/v4, with holes for unknown parts. */
  readonly path: string;
  /** True if it is certainly an address of this API. */
  readonly sure: boolean;
  /** True if the file only names the platform, and nothing of this API. */
  readonly isGuess?: boolean;
}

/** A parameter with its literal value, or a path, which has no name. */
export interface SentParameter {
  readonly name: string;
  readonly value: string | undefined;
  /** Offset of the value, else of the name or the path. */
  readonly offset: number;
  readonly nameOffset: number;
}

/** A path, a request parameter or a response field that a file mentions. */
export interface Mention extends SentParameter {
  readonly about: "path" | "sent" | "compared" | "read";
  readonly address: Address;
}

const detections = [...schedule, ...hints].flatMap(({ detect }) => (detect ?? []).filter((each) => each.by === "rest"));

/** Parameters and response fields that detections look for. */
export const wantedNames: ReadonlySet<string> = new Set(
  detections.flatMap(({ parameter, attribute }) => [parameter, attribute].filter((name) => name !== undefined)),
);

/** First segments of the paths that detections look for. */
const roots: ReadonlySet<string> = new Set(
  detections.flatMap(({ paths }) => paths.map((path) => path.split("/")[1] ?? "")),
);

/** An API address found in a text, and where its path and its query are. */
interface AddressMatch {
  readonly path: string;
  readonly from: number;
  /** Offset after the question mark, or of the end of the path. */
  readonly query: number;
  /** The text before the path: `/api/v4`, an interpolation (`open`), a slash, or nothing. */
  readonly base: "api" | "open" | "slash" | "none";
  /** The text of an open base. */
  readonly before: string;
}

const api = /^[^\s?#]*?\/api\/v4\//;
const open = new RegExp(`^(?:https?://)?[\\w.:-]*${hole}[\\w.:${hole}-]*/+`);

function matchAddress(masked: string, raw: string): AddressMatch | undefined {
  const [whole] = api.exec(masked) ?? [];
  if (whole !== undefined) return matchPath(masked, whole.length, "api", raw.slice(0, whole.length));
  const rest = masked.slice(0, 2000);
  const [opened] = open.exec(rest) ?? [];
  if (opened !== undefined) return matchPath(masked, opened.length, "open", raw.slice(0, opened.length));
  if (rest.startsWith("/") && !rest.startsWith("//")) return matchPath(masked, 1, "slash", "");
  return matchPath(masked, 0, "none", "");
}

const segments = /[^\s?#"'<>\\]*/y;

function matchPath(masked: string, from: number, base: AddressMatch["base"], before: string): AddressMatch | undefined {
  segments.lastIndex = from;
  const [path = ""] = segments.exec(masked) ?? [];
  const end = from + path.length;
  const after = masked[end];
  if (!/^[a-z]/.test(path) || !roots.has(path.split("/", 1)[0] ?? "")) return undefined;
  if (after !== undefined && after !== "?" && after !== "#") return undefined;
  const query = after === "?" ? end + 1 : end;
  return { path: path.replace(/\/$/, "").replace(/\.json$/, ""), from, query, base, before };
}

/** Evidence in a file of the server that it sends requests to. */
export interface Evidence {
  /** It contains terms of this API, such as `api/v4`. */
  readonly usesApi: boolean;
  /** It contains the name of the platform. */
  readonly namesPlatform: boolean;
}

export function evidenceIn(text: string): Evidence {
  return {
    usesApi: /api\/v4|private-token|job-token|api_v4|\bglab\b/i.test(text),
    namesPlatform: /gitlab/i.test(text),
  };
}

/** An address in a text, with the mentions in the text itself. */
export interface FoundAddress extends Pick<AddressMatch, "base"> {
  readonly address: Address;
  readonly mentions: readonly Mention[];
}

/**
 * The address with which a text begins; undefined without one, or for another server. `raw`: the text before
 * interpolations were masked. `baseOf`: the value of a base, if a constant has it.
 */
export function addressIn(
  fragment: TextFragment,
  raw: string,
  evidence: Evidence,
  baseOf: (before: string) => string | undefined = () => undefined,
): FoundAddress | undefined {
  const match = matchAddress(fragment.text, raw);
  const address = match && resolveAddress(match, evidence, baseOf(match.before));
  return address && { base: match.base, address, mentions: addressMentions(fragment, match, address) };
}

export function isAddress(text: string): boolean {
  return matchAddress(text, text) !== undefined;
}

/** The address of a match: certain if its base, or the path, belongs to this API alone. */
function resolveAddress(
  { path, base, before }: AddressMatch,
  evidence: Evidence,
  known: string | undefined,
): Address | undefined {
  if (base === "api" || /api_?v4|gitlab_api/i.test(before)) return { path, sure: true };
  const isApi = known !== undefined && /api\/v4\/?$|api_?v4/i.test(known);
  if (known !== undefined && !isApi && /^https?:\/\/[^\s/]/.test(known) && !known.includes(hole)) return undefined;
  if (matchesTemplate(vocabulary.code.own, path)) return { path, sure: true };
  if (isApi || evidence.usesApi) return { path, sure: false };
  return evidence.namesPlatform ? { path, sure: false, isGuess: true } : undefined;
}

const patternOf = memoized((template: string) => new RegExp(`^${template.slice(1).replace(/:\w+/g, "[^/]+")}/?$`));

function matchesTemplate(templates: Iterable<string>, path: string): boolean {
  return [...templates].some((template) => patternOf(template).test(path));
}

function addressMentions({ text, start }: TextFragment, match: AddressMatch, address: Address): readonly Mention[] {
  const at = { nameOffset: start, offset: start + match.from };
  const query = parametersIn({ text: text.slice(match.query), start: start + match.query });
  return [
    { about: "path", address, name: "", value: undefined, ...at },
    ...query.map((each): Mention => ({ about: "sent", address, ...each })),
  ];
}

const pairForm = new RegExp(
  `(?<![\\w.\\[-])(?:\\\\*["'])?([A-Za-z_]\\w*)(?:\\\\*["'])?(?:\\[\\])?\\s*(?:==?|:|=>)\\s*(?:\\\\*["'])?([\\w${hole}]*)`,
  "g",
);

/** Pairs such as `name=value`, `name==value`, `"name": "value"`, in a query, a form or JSON. */
export function parametersIn({ text, start }: TextFragment): readonly SentParameter[] {
  return [...text.matchAll(pairForm)].flatMap(({ index, 0: whole, 1: name = "", 2: value = "" }) => {
    if (!wantedNames.has(name)) return [];
    const nameOffset = start + index + whole.indexOf(name);
    const offset = value === "" ? nameOffset : start + index + whole.length - value.length;
    return [{ name, value: value || undefined, nameOffset, offset }];
  });
}

const comparing = /(?:\.|\[\s*\\?["'])(\w+)(?:\\?["']\s*\])?\)?\s*(?:==|!=)\s*\\?["']?(\w+)/g;
const reading = /\.(\w+)\b(?!\s*\()|\[\s*\\?["'](\w+)\\?["']\s*\]/g;

/** Fields of a response that a jq program or a script reads or compares. */
export function readIn({ text, start }: TextFragment, address: Address): readonly Mention[] {
  const compared = [...text.matchAll(comparing)].map(({ index, 0: whole, 1: name = "", 2: value = "" }): Mention => {
    const offset = start + index + whole.length - value.length;
    return { about: "compared", address, name, value, nameOffset: start + index + whole.indexOf(name), offset };
  });
  const read = [...text.matchAll(reading)].map(({ index, 0: whole, 1: dotted, 2: quoted }): Mention => {
    const name = dotted ?? quoted ?? "";
    const offset = start + index + whole.indexOf(name);
    return { about: "read", address, name, value: undefined, nameOffset: offset, offset };
  });
  return [...compared, ...read].filter(({ name }) => wantedNames.has(name));
}

/** Uses of a path, a parameter or a response field. An uncertain one is a hint. */
export function restUses(mentions: readonly Mention[], detection: RestDetection): readonly Use[] {
  return mentions
    .filter((mention) => isAbout(mention, detection) && matchesTemplate(detection.paths, mention.address.path))
    .filter(({ address }) => !(address.isGuess && detection.hint))
    .map((mention) => toUse(mention, detection));
}

function isAbout({ about, name, value }: Mention, { parameter, attribute, values }: RestDetection): boolean {
  if (parameter === undefined && attribute === undefined) return about === "path";
  if (attribute !== undefined) return (about === "read" || about === "compared") && name === attribute;
  if (name !== parameter) return false;
  if (!values) return about === "sent";
  return (about === "sent" || about === "compared") && values.includes(value ?? "");
}

function toUse({ about, address, value, nameOffset, offset: valueOffset }: Mention, detection: RestDetection): Use {
  const { segment, replace, returned, values } = detection;
  const offset = about === "sent" && !values ? nameOffset : valueOffset;
  if (segment !== undefined) {
    const parts = address.path.split("/");
    const at = offset + parts.slice(0, parts.indexOf(segment)).join("/").length + 1;
    return { offset: at, isLikely: !address.sure, ...rewriting(at, at + segment.length, replace) };
  }
  if (!address.sure) return { offset, isLikely: true };
  const since = about === "compared" && returned !== undefined ? { since: returned } : {};
  return value === undefined ? { offset } : { offset, ...since, ...rewriting(offset, offset + value.length, replace) };
}
