import { UserError } from "../base/exit.ts";
import { memoized } from "../base/memoize.ts";
import type { KindExpressions } from "./kind-row.ts";
import type { ResourceKind } from "./resource-kind.ts";

type Compile = typeof import("./kind-expressions.ts")["compileKindExpression"];

/** CEL, once it is loaded: few runs need it, and none needs it at start. */
let compile: Compile | undefined;

/** Makes the expressions of all kinds ready to be evaluated. */
export function useExpressions(compileKindExpression: Compile): void {
  compile = compileKindExpression;
}

/** The expressions of a kind, each compiled when it is first evaluated. */
export function lazyExpressions({ name }: ResourceKind): KindExpressions {
  const compiledFor = memoized((names: string) =>
    memoized((text: string) => {
      if (!compile) throw new RangeError(`the expressions of ${name} are not loaded`);
      const made = compile(text, names.split(" "), "any");
      if ("fault" in made)
        throw new UserError(`an expression of the kind ${name}: ${made.fault}; evenkeel validate shows where`);
      return made;
    }),
  );
  return { valueOf: (text, given) => compiledFor(Object.keys(given).join(" "))(text).valueOf(given) };
}
