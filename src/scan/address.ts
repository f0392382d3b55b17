import { hole } from "./text.ts";
import { type Address, isOwnPath, roots } from "./traffic.ts";

/** An API address found in a text, and where its path and its query are. */
export interface AddressMatch {
  readonly path: string;
  readonly from: number;
  /** Offset after the question mark; the end of the path where there is none. */
  readonly query: number;
  /**
   * What precedes the path: `/api/v4`, an interpolation (`open`), a slash, or nothing.
   */
  readonly base: "api" | "open" | "slash" | "none";
  /** The text of an open base. */
  readonly before: string;
}

const api = /^[^\s?#]*?\/api\/v4\//;
const open = new RegExp(`^(?:https?://)?[\\w.:-]*${hole}[\\w.:${hole}-]*/+`);

/** Finds an address in a text whose interpolations are holes. */
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

/** Evidence in a file of the server that it sends requests to. */
export interface Evidence {
  /** It contains terms of this API, such as `api/v4`. */
  readonly usesApi: boolean;
  /** It contains the name of the platform. */
  readonly namesPlatform: boolean;
}

const speaking = /api\/v4|private-token|job-token|api_v4|\bglab\b/i;

export function evidenceIn(text: string): Evidence {
  return { usesApi: speaking.test(text), namesPlatform: /gitlab/i.test(text) };
}

/**
 * The address in a text; undefined for one of another server.
 * @param known The value of the base, where it is known.
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
