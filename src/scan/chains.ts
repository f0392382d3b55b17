import { vocabulary } from "../model/deprecations.ts";
import type { Program } from "./program.ts";

const http = vocabulary.code.http;
const setters = vocabulary.code.setters;

/** The request later in the chain of a call: `.SetBody(…).Post(url)`. */
export function requestAfter(program: Program, open: number): number | undefined {
  let close = program.matching(open);
  for (let steps = 0; steps < 20 && close >= 0; steps++) {
    const [dot, name, next] = [program.tokens[close + 1], program.tokens[close + 2], close + 3];
    if (dot?.text !== "." || name?.kind !== "word" || program.textAt(next) !== "(") return undefined;
    if (http.has(name.text) && !setters.has(name.text)) return next;
    close = program.matching(next);
  }
  return undefined;
}

/** The request whose block contains a bracket: `client.post(url) { setBody(…) }`. */
export function requestAround(program: Program, at: number): number | undefined {
  let brace = program.enclosing(at);
  for (let steps = 0; steps < 3 && program.textAt(brace) === "{"; steps++) {
    const open = program.textAt(brace - 1) === ")" ? program.matching(brace - 1) : -1;
    if (isRequest(program, open)) return open;
    brace = program.enclosing(brace);
  }
  return undefined;
}

/** The parameter of a request's block: `conn.post(path) do |req|`, `{ |req|`. */
export function requestParameter(program: Program, open: number): number | undefined {
  const close = program.matching(open);
  const [block, bar, name] = [program.tokens[close + 1], program.tokens[close + 2], program.tokens[close + 3]];
  const isBlock = /^(?:do|\{)$/.test(block?.text ?? "") && bar?.text === "|" && name?.kind === "word";
  return isBlock && isRequest(program, open) ? close + 3 : undefined;
}

function isRequest(program: Program, open: number): boolean {
  return open >= 0 && http.has(program.callee(open)) && program.isMember(open - 1);
}

/** `xhr.open("POST", url)`. */
export function isOpening(program: Program, open: number): boolean {
  const isVerb = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE)$/i.test(program.textAt(open + 1));
  return isVerb && vocabulary.code.opening.has(program.callee(open)) && program.isMember(open - 1);
}
