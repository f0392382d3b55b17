import { deepestBraces, type GlobPart, type GlobRules, partsOf, type Test } from "./glob-parts.ts";

export type { GlobRules } from "./glob-parts.ts";

const longest = 10_000;

/**
 * Compiles a glob of `*`, `**`, `?`, `[abc]`, `{a,b}` and `\` to escape a character. Matching takes at
 * most the length of the text times that of the glob. A text equal to the glob matches too.
 */
export function globMatcher(glob: string, rules: GlobRules): (text: string) => boolean {
  const fold = rules.cased ? (text: string) => text : (text: string) => text.toLowerCase();
  const literal = fold(glob);
  const prefix = commonPrefix(literal);
  const folder = rules.dots && isWholeFolder(glob) ? literal.slice(0, -2) : undefined;
  const program = compileProgram(partsOf(glob, rules));
  return (text) => {
    const folded = fold(text);
    if (folded === literal) return true;
    if (folder !== undefined && folded.length > folder.length && folded.startsWith(folder)) return true;
    return text !== "" && folded.startsWith(prefix) && accepts(program, text);
  };
}

/** True if a text contains a wildcard or an escape. */
export function isGlob(text: string): boolean {
  return /[*?[{\\]/.test(text);
}

/**
 * The state of a glob below a folder: folders with equal states have the same matches below them. Undefined
 * where nothing below can match. `""` is the root folder.
 */
export function globReach(glob: string, rules: GlobRules): (folder: string) => string | undefined {
  const program = compileProgram(partsOf(glob, rules));
  return (folder) => {
    const steps = stepsAfter(program, folder === "" ? "" : `${folder}/`).filter((at) => at < program.length);
    return steps.length === 0 ? undefined : steps.sort((a, b) => a - b).join();
  };
}

/** Unsupported syntax of a glob, as the end of "expected …". */
export function globFault(glob: string): string | undefined {
  if (glob.length > longest) return `a glob of at most ${longest} characters`;
  const found = faults.find(([pattern]) => pattern.test(glob.replace(/\\./gsu, "")));
  if (found) return found[1];
  return measureDepth(glob) > deepestBraces ? `a glob with braces at most ${deepestBraces} deep` : undefined;
}

const faults: readonly (readonly [RegExp, string])[] = [
  [
    /[!@]\(/,
    "a glob without !(…) or @(…), which are not supported; use {a,b} for alternatives, and \\( for a parenthesis",
  ],
  [/\([^()|]*\|/, "a glob without (a|b), which is not supported; use {a,b} for alternatives, and \\| for a bar"],
  [/\[\[:/, "a glob without [[:…:]], which is not supported; use [a-z] for a range"],
  [
    /\{(?:[^{},/]{2,}\.\.[^{},/]*|[^{},/]?\.\.[^{},/]{2,})\}/,
    "a glob whose ranges are of single characters, such as {a..c}",
  ],
];

function measureDepth(glob: string): number {
  let depth = 0;
  let deepest = 0;
  for (const each of glob) {
    if (each === "{") deepest = Math.max(deepest, ++depth);
    if (each === "}") depth--;
  }
  return deepest;
}

/** The longest folder without wildcards that contains all matches of a glob; `""` for the root. */
export function globFolder(glob: string): string {
  const plain = commonPrefix(glob);
  return glob.length === plain.length ? "" : plain.slice(0, Math.max(0, glob.lastIndexOf("/", plain.length)));
}

/** True for `folder/**`, the most common glob, and for `**`. */
function isWholeFolder(glob: string): boolean {
  return /^(?:[^*?[\]{}\\]+\/)?\*\*$/.test(glob);
}

/** The common prefix of all matches; a slash before `**` is optional. */
function commonPrefix(glob: string): string {
  const end = glob.search(/[*?[{\\]/);
  return end < 0 ? glob : glob.slice(0, end).replace(/\/$/, "");
}

/** A step consumes a character and continues at `next`, or forks without consuming one. */
type Step = { readonly test: Test; readonly next: number } | { readonly forks: readonly number[] };

/** The steps of a glob; a text matches if it reaches the end. */
function compileProgram(parts: readonly GlobPart[]): readonly Step[] {
  const program: Step[] = [];
  emit(parts, program);
  return program;
}

function emit(parts: readonly GlobPart[], program: Step[]): void {
  for (const part of parts) {
    const at = program.length;
    if (part.form === "either") emitEither(part.choices, program);
    else if (part.form === "one") program.push({ test: part.test, next: at + 1 });
    else program.push({ forks: [at + 1, at + 2] }, { test: part.test, next: at });
  }
}

function emitEither(choices: readonly (readonly GlobPart[])[], program: Step[]): void {
  const at = program.push({ forks: [] }) - 1;
  const starts: number[] = [];
  const ends: number[] = [];
  for (const choice of choices) {
    starts.push(program.length);
    emit(choice, program);
    ends.push(program.push({ forks: [] }) - 1);
  }
  program[at] = { forks: starts };
  for (const end of ends) program[end] = { forks: [program.length] };
}

function accepts(program: readonly Step[], text: string): boolean {
  return stepsAfter(program, text).includes(program.length);
}

/** Simulates all paths at once; after each character every reachable step is in the set once. */
function stepsAfter(program: readonly Step[], text: string): number[] {
  const reached = new Uint32Array(program.length + 1);
  let round = 1;
  let steps = reach(program, [0], reached, round);
  let leads = true;
  for (const character of text) {
    const next: number[] = [];
    for (const at of steps) {
      const step = program[at];
      if (step && "test" in step && step.test(character, leads)) next.push(step.next);
    }
    if (next.length === 0) return [];
    steps = reach(program, next, reached, ++round);
    leads = character === "/";
  }
  return steps;
}

/** The consuming steps, and the end, that can be reached without consuming a character. */
function reach(program: readonly Step[], from: number[], reached: Uint32Array, round: number): number[] {
  const found: number[] = [];
  const pending = from;
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (reached[at] === round) continue;
    reached[at] = round;
    const step = program[at];
    if (step && "forks" in step) pending.push(...step.forks);
    else found.push(at);
  }
  return found;
}

/** True if a glob can match a text that consists of these characters. */
export function matchesWithin(glob: string, rules: GlobRules, characters: string): boolean {
  return isWithin(partsOf(glob, rules), matchesAnyOf(characters));
}

/** True if a glob can match a text of both sets of characters with at least one of `others`. */
export function matchesBeyond(glob: string, rules: GlobRules, characters: string, others: string): boolean {
  return isBeyond(partsOf(glob, rules), matchesAnyOf(characters + others), matchesAnyOf(others));
}

type Question = (test: Test) => boolean;

function matchesAnyOf(characters: string): Question {
  const each = [...new Set(characters)];
  return (test) => each.some((character) => test(character, false));
}

function isWithin(parts: readonly GlobPart[], takes: Question): boolean {
  return parts.every((part) => {
    if (part.form === "either") return part.choices.some((choice) => isWithin(choice, takes));
    return part.form === "many" || takes(part.test);
  });
}

function isBeyond(parts: readonly GlobPart[], takes: Question, takesOther: Question): boolean {
  const goesBeyond = parts.some((part) => {
    if (part.form === "either") return part.choices.some((choice) => isBeyond(choice, takes, takesOther));
    return takesOther(part.test);
  });
  return goesBeyond && isWithin(parts, takes);
}
