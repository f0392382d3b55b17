import { hole } from "./text.ts";
import { slice } from "./text-pieces.ts";
import { type Address, isOwnPath, type Piece, roots } from "./traffic.ts";

/** An address in a text, and the stretches of its path and its query. */
export interface AddressMatch {
  readonly path: string;
  readonly from: number;
  /** Begins behind the question mark; where the path ends if there is none. */
  readonly query: number;
  /**
   * What stands before the path: this API, an interpolation that may lead to any, a slash, nothing, or another server.
   */
  readonly base: "api" | "open" | "slash" | "none";
  /** The text of an open base. */
  readonly before: string;
}

const api = /^[^\s?#]*?\/api\/v4\//;
const open = new RegExp(`^(?:https?://)?[\\w.:-]*${hole}[\\w.:${hole}-]*/+`);

/** Reads a text whose interpolations are holes as an address; undefined where it is none. */
export function matchAddress(masked: string, raw: string): AddressMatch | undefined {
  const [whole] = api.exec(masked) ?? [];
  if (whole !== undefined) return pathFrom(masked, whole.length, "api", raw.slice(0, whole.length));
  const rest = masked.slice(0, 2000);
  const [opened] = open.exec(rest) ?? [];
  if (opened !== undefined) return pathFrom(masked, opened.length, "open", raw.slice(0, opened.length));
  if (rest.startsWith("/") && !rest.startsWith("//")) return pathFrom(masked, 1, "slash", "");
  return pathFrom(masked, 0, "none", "");
}

const segments = /[^\s?#"'<>\\]*/y;

function pathFrom(masked: string, from: number, base: AddressMatch["base"], before: string): AddressMatch | undefined {
  segments.lastIndex = from;
  const [path = ""] = segments.exec(masked) ?? [];
  const end = from + path.length;
  const after = masked[end];
  if (!/^[a-z]/.test(path) || !roots.has(path.split("/", 1)[0] ?? "")) return undefined;
  if (after !== undefined && after !== "?" && after !== "#") return undefined;
  return {
    path: path.replace(/\/$/, "").replace(/\.json$/, ""),
    from,
    query: after === "?" ? end + 1 : end,
    base,
    before,
  };
}

/** What a file says of the server that it speaks to. */
export interface Evidence {
  /** Words of this API stand in it. */
  readonly usesApi: boolean;
  /** Its name stands in it. */
  readonly namesPlatform: boolean;
}

const speaking = /api\/v4|private-token|job-token|api_v4|\bglab\b/i;

/** Looks once for what tells this API from others. */
export function evidenceIn(text: string): Evidence {
  return { usesApi: speaking.test(text), namesPlatform: /gitlab/i.test(text) };
}

/**
 * The address that a text means; undefined for that of another server.
 * @param base What is known of the base: a text that it stands for; undefined where nothing is.
 */
export function requestAddressOf(
  { path, base, before }: AddressMatch,
  evidence: Evidence,
  known?: string,
): Address | undefined {
  if (base === "api" || /api_?v4|gitlab_api/i.test(before)) return { path, sure: true };
  if (known !== undefined && /api\/v4\/?$|api_?v4/i.test(known)) return { path, sure: true };
  if (known !== undefined && /^https?:\/\/[^\s/]/.test(known) && !known.includes(hole)) return undefined;
  if (evidence.usesApi || isOwnPath(path)) return { path, sure: true };
  return evidence.namesPlatform ? { path, sure: false } : undefined;
}

/** The piece of a query. */
export function queryIn(piece: Piece, { query }: AddressMatch): Piece {
  return slice(piece, query);
}
