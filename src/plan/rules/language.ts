import { celEnvironment, compileExpression, type Language } from "../../base/cel.ts";
import { didYouMean } from "../../base/nearest.ts";
import { hostsIn, originsIn } from "../../base/origins.ts";
import { ChangeView, changeFields, nothing, PlanView, planFields, SummaryView, summaryFields } from "./view.ts";

type Root = "change" | "plan";

/** Compiles a rule on changes or on plans. */
export function compileRule(text: string, root: Root): ReturnType<typeof compileExpression> {
  return compileExpression(text, languages[root]);
}

const names = [...Object.keys(changeFields), ...Object.keys(summaryFields), ...Object.keys(planFields)];

const languages = {
  change: createLanguage("change", "plan", Object.keys(changeFields).join(", ")),
  plan: createLanguage("plan", "change", "changes, summary, the fields of a change, or a count of the summary"),
} as const;

function createLanguage(root: Root, other: Root, fields: string): Language {
  const environment = celEnvironment()
    .registerType("Change", { ctor: ChangeView, fields: { ...changeFields } })
    .registerType("Summary", { ctor: SummaryView, fields: { ...summaryFields } })
    .registerType("Plan", { ctor: PlanView, fields: { ...planFields } })
    .registerOperator("map == null", (fields: unknown) => fields === nothing)
    .registerFunction("string.origins(): list<string>", (text: string) => [...originsIn(text)])
    .registerFunction("string.hosts(): list<string>", (text: string) => [...hostsIn(text)])
    .registerVariable(root, root === "change" ? "Change" : "Plan");
  return {
    environment,
    explain: (code, word, isRunning) => {
      if (code === "unknown_variable" && word === other) return `${word} is only known with on: ${word}`;
      if (code === "unknown_variable")
        return `unknown name ${word}${didYouMean(word, [root]) || `; a rule on a ${root} knows ${root}`}`;
      if (code !== "no_such_key") return undefined;
      return `there is no ${word}${isRunning ? "" : didYouMean(word, names) || `; expected one of ${fields}`}`;
    },
  };
}
