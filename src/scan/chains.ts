import { surroundings } from "../model/deprecations.ts";
import { isMember, type Structure } from "./structure.ts";

const http = new Set(surroundings.code.http);
const setters = new Set(surroundings.code.setters);

/** The request that a chain goes on to behind a call: `.SetBody(…).Post(url)`; undefined where there is none. */
export function requestBehind({ tokens, other }: Structure, open: number): number | undefined {
  let close = other[open] ?? -1;
  for (let steps = 0; steps < 20 && close >= 0; steps++) {
    const [dot, name, next] = [tokens[close + 1], tokens[close + 2], close + 3];
    if (dot?.text !== "." || name?.kind !== "word" || tokens[next]?.text !== "(") return undefined;
    if (http.has(name.text) && !setters.has(name.text)) return next;
    close = other[next] ?? -1;
  }
  return undefined;
}

/** The request whose block a bracket stands in: `client.post(url) { setBody(…) }`; undefined where there is none. */
export function requestAround(structure: Structure, at: number): number | undefined {
  const { tokens, parent, other } = structure;
  let brace = parent[at] ?? -1;
  for (let steps = 0; steps < 3 && tokens[brace]?.text === "{"; steps++) {
    const open = tokens[brace - 1]?.text === ")" ? (other[brace - 1] ?? -1) : -1;
    if (isRequest(structure, open)) return open;
    brace = parent[brace] ?? -1;
  }
  return undefined;
}

/** The parameter of a request's block: `conn.post(path) do |req|`, `{ |req|`; undefined where there is none. */
export function requestParameter(structure: Structure, open: number): number | undefined {
  const { tokens, other } = structure;
  const close = other[open] ?? -1;
  const [block, bar, name] = [tokens[close + 1], tokens[close + 2], tokens[close + 3]];
  const isBlock = /^(?:do|\{)$/.test(block?.text ?? "") && bar?.text === "|" && name?.kind === "word";
  return isBlock && isRequest(structure, open) ? close + 3 : undefined;
}

function isRequest(structure: Structure, open: number): boolean {
  return open >= 0 && http.has(structure.callee(open)) && isMember(structure.tokens, open - 1);
}

/** `xhr.open("POST", url)`. */
export function isOpening({ tokens, callee }: Structure, open: number): boolean {
  const isVerb = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE)$/i.test(tokens[open + 1]?.text ?? "");
  return isVerb && surroundings.code.opening.includes(callee(open)) && isMember(tokens, open - 1);
}
