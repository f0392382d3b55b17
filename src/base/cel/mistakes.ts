import type { Environment } from "@marcbachmann/cel-js";
import { didYouMean } from "../nearest.ts";
import type { ExpressionFault } from "./patterns.ts";

/** Strings and comments. */
const literals = /r?(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\/\/.*/g;

/** Operators of other languages, and what CEL has instead. */
const operators: Readonly<Record<string, string>> = {
  and: "&&",
  or: "||",
  not: "!",
  "=": "==",
  "<>": "!=",
  "===": "==",
};

/** The first operator of another language in an expression that CEL rejects. */
export function foreignOperator(text: string): ExpressionFault | undefined {
  const code = text.replace(literals, (each) => " ".repeat(each.length));
  const found = /(?<![.\w])(?:and|or|not)(?![\w(.])|<>|={3}|(?<![=!<>])=(?!=)/i.exec(code);
  const instead = found && operators[found[0].toLowerCase()];
  return found && instead ? { message: `CEL writes ${instead} for ${found[0]}`, offset: found.index } : undefined;
}

/** The names of the functions that expressions may call. */
export function functionNames(environment: Environment): ReadonlySet<string> {
  return new Set(environment.getDefinitions().functions.map(({ name }) => name));
}

/** The words for a call of a function that does not exist; undefined if it exists, and its arguments are wrong. */
export function unknownFunction(word: string, functions: ReadonlySet<string>): string | undefined {
  return functions.has(word) ? undefined : `unknown function ${word}${didYouMean(word, functions)}`;
}

/** The word that a message of the library ends in, or the function whose call it quotes. */
export function faultyWord(summary: string): string {
  return /(?:: |\.|')(\w+)(?:$|\([^']*\)'$)/.exec(summary)?.[1] ?? "";
}
