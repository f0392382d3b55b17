import { type RestDetection, surroundings } from "../model/removals.ts";
import { pairsOf } from "./pairs.ts";
import { rewriting, type Sought, type Use } from "./source.ts";
import { hole, masked } from "./text.ts";
import { type Token, tokensWithin } from "./tokens.ts";

/** The tokens of a program or a script, and whether anything in it shows that it speaks to this API. */
export interface Program {
  readonly tokens: readonly Token[];
  readonly speaks: boolean;
}

const evidence = /api\/v4|private-token|job-token|api_v4|glab\b/i;

/** Looks once for what tells this API from others. */
export function programOf(tokens: readonly Token[], around = ""): Program {
  return { tokens, speaks: evidence.test(around) || tokens.some(({ text }) => evidence.test(text)) };
}

const interpolation =
  /\$\{[^{}]*\}|#\{[^{}]*\}|\$\([^()]*\)|\{[A-Za-z_][\w.[\]'"()]*\}|\{\}|%\(\w+\)s|%[sdv]|\$[A-Za-z_]\w*/g;

/** What a text asks for: its path below the API, and where that begins and ends in the text. */
interface Asked {
  readonly path: string;
  readonly start: number;
  /** Whether it begins with neither a slash nor an address. */
  readonly bare: boolean;
  /** Whether its address is an interpolation, which may lead to any API. */
  readonly open: boolean;
}

const beginning = new RegExp(
  `^(?:(?:GET|PUT|POST|PATCH|DELETE|HEAD)\\s+)?([^\\s?#]*?/api/v4/|(?:https?://)?[\\w.:-]*${hole}[\\w.:${hole}-]*/|/)?(?=[a-z])`,
);

const known = new WeakMap<Token, Asked | "nothing">();

function askedBy(token: Token): Asked | undefined {
  const before = known.get(token) ?? readAsked(token) ?? "nothing";
  known.set(token, before);
  return before === "nothing" ? undefined : before;
}

function readAsked(token: Token): Asked | undefined {
  const text = masked(token.text, interpolation);
  const [before = "", base] = beginning.exec(text) ?? [];
  const path = /^[^\s?#"'<>\\]+/.exec(text.slice(before.length))?.[0];
  if (path === undefined || !/^(?:$|[?#]\S*$)/.test(text.slice(before.length + path.length))) return undefined;
  return { path, start: token.start + before.length, bare: base === undefined, open: text.startsWith(hole) };
}

/** Templates of paths as patterns. */
const patterns = new Map<string, RegExp>();

function matches(template: string, path: string): boolean {
  const pattern = patterns.get(template) ?? new RegExp(`^${template.slice(1).replace(/:\w+/g, "[^/]+")}/?$`);
  patterns.set(template, pattern);
  return pattern.test(path.replace(/\.json$/, ""));
}

/** Whether a text is a request of any kind: what is read behind it belongs to it. */
function isRequest(token: Token): boolean {
  const asked = token.kind === "text" && !token.inText && askedBy(token);
  return Boolean(
    asked && !asked.bare && /^(?:projects|groups|runners|registry|features|users|admin)\b/.test(asked.path),
  );
}

/** Uses of a path, of a parameter or of what is read from its answer. */
export function restUses({ tokens, speaks }: Program, { detection }: Sought<RestDetection>): readonly Use[] {
  return tokens.flatMap((token, index) => {
    if (token.kind !== "text" || token.inText) return [];
    const asked = askedBy(token);
    if (!asked || !detection.paths.some((template) => matches(template, asked.path))) return [];
    if (isTalk(tokens, token, index) || (asked.bare && !isCalled(tokens, token))) return [];
    const { parameter, attribute } = detection;
    if (parameter) return parameterUses(tokens, index, detection);
    if (attribute) return attributeUses(tokens, index, attribute);
    if (speaks) return [pathUse(asked, detection)];
    const isLikely = detection.hint && asked.open && isCalled(tokens, token);
    return isLikely ? [{ offset: pathUse(asked, detection).offset }] : [];
  });
}

/** What is printed or logged is no request. */
function isTalk(tokens: readonly Token[], token: Token, index: number): boolean {
  const caller = token.group >= 0 ? tokens[token.group - 1] : tokens[index - 1];
  return caller?.kind === "word" && surroundings.code.talk.includes(caller.text);
}

/** A shell's words are only those of commands that ask for something. */
function isCalled(tokens: readonly Token[], { group }: Token): boolean {
  if (group >= tokens.length) return true;
  const caller = group > 0 ? tokens[group - 1] : undefined;
  return caller?.kind === "word" && surroundings.code.http.includes(caller.text);
}

function pathUse({ path, start }: Asked, { segment, replace }: RestDetection): Use {
  if (segment === undefined) return { offset: start };
  const at = start + path.split("/").slice(0, path.split("/").indexOf(segment)).join("/").length + 1;
  return { offset: at, ...rewriting(at, at + segment.length, replace) };
}

/** As many tokens behind a request may speak of its answer, if no other request comes before. */
const reach = 150;

function behind(tokens: readonly Token[], index: number): readonly Token[] {
  const rest = tokens.slice(index + 1, index + reach);
  const next = rest.findIndex(isRequest);
  return next < 0 ? rest : rest.slice(0, next);
}

function parameterUses(tokens: readonly Token[], index: number, detection: RestDetection): readonly Use[] {
  const { parameter = "", values, replace } = detection;
  const token = tokens[index];
  if (!token) return [];
  const own = pairsOf(tokensWithin(token), parameter);
  const pairsIn = (some: readonly Token[]) => layersOf(some).flatMap((layer) => pairsOf(layer, parameter));
  const given = pairsIn(callAround(tokens, index));
  const compared = values ? pairsIn(behind(tokens, index)) : [];
  const found = [...own, ...given, ...compared].filter(({ value }) => !values || values.includes(value?.text ?? ""));
  const unique = [...new Map(found.map((pair) => [(values ? pair.value : pair.name)?.start, pair])).values()];
  return unique.map(({ name, value }) => {
    const at = (values ? value : name) ?? name;
    return { offset: at.start, ...rewriting(at.start, at.start + at.text.length, values && replace) };
  });
}

/** What stands in the same call as a text, in brackets of its own too. */
function callAround(tokens: readonly Token[], index: number): readonly Token[] {
  const group = tokens[index]?.group ?? -1;
  if (group < 0) return [];
  const isOutside = (token: Token) => token.group < group;
  const before = tokens.slice(Math.max(0, index - reach), index);
  const after = tokens.slice(index + 1, index + reach);
  const end = after.findIndex(isOutside);
  const isAhead = (token: Token) => token.group === group;
  return [...before.filter(isAhead), ...(end < 0 ? after : after.slice(0, end))];
}

function attributeUses(tokens: readonly Token[], index: number, attribute: string): readonly Use[] {
  const read = layersOf(behind(tokens, index)).flatMap((layer) =>
    layer.filter((token, at) => token.text === attribute && isRead(token, layer[at - 1], layer.slice(at + 1, at + 3))),
  );
  return read.map(({ start }) => ({ offset: start }));
}

/** `x.name`, `x["name"]` or `x.get("name")`; a call on it is about something else. */
function isRead({ kind }: Token, before: Token | undefined, [after, called]: readonly Token[]): boolean {
  if (before?.kind !== "sign") return false;
  if (kind === "text") return /^[[(]$/.test(before.text) && /^[\])]$/.test(after?.text ?? "");
  const isCall = after?.text === "(" || (after?.text === "." && surroundings.code.http.includes(called?.text ?? ""));
  return before.text === "." && !isCall;
}

/** The tokens themselves, and those inside each text. */
export function layersOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  return [tokens, ...tokens.filter(({ kind }) => kind === "text").map((token) => tokensWithin(token))];
}
