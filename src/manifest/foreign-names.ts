import type { Catalogue } from "../model/catalogue.ts";
import type { Problem } from "../model/types.ts";
import { foreignGlob, foreignSlug } from "./foreign-slug.ts";
import { problemAt } from "./problem.ts";
import type { PlanRule } from "./rules.ts";

/** Names of other dialects in rules: in exceptions that except nothing, and in texts of expressions. */
export function foreignNames(rules: readonly PlanRule[], catalogue: Catalogue): readonly Problem[] {
  return rules.flatMap((rule) => [...inExceptions(rule, catalogue), ...inExpression(rule, catalogue)]);
}

function inExceptions({ except, document }: PlanRule, catalogue: Catalogue): readonly Problem[] {
  return except.flatMap((glob, index) => {
    const why = foreignGlob(glob, catalogue);
    return why ? [problemAt("unknown-integration", why, { document, path: ["except", index] })] : [];
  });
}

/** What such a text is compared with is not known, so it is a doubt. */
function inExpression({ when, document }: PlanRule, catalogue: Catalogue): readonly Problem[] {
  return [...when.matchAll(/(["'])([a-z0-9-]+)\1/g)].flatMap(({ index, 2: text = "" }): Problem[] => {
    const why = foreignSlug(text, catalogue);
    if (!why) return [];
    const place = document.within(["when"], when, index + 1);
    return [{ ...problemAt("unknown-integration", why, { document, path: ["when"] }), severity: "warning", place }];
  });
}
