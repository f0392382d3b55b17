import { dayOf } from "../base/day.ts";
import { exit } from "../base/exit.ts";
import { counted, paragraphs } from "../base/text-format.ts";
import type { Policy } from "../manifest/policies.ts";
import { sortedProblems } from "../manifest/problem.ts";
import { isWide, knownProjects } from "../manifest/projects.ts";
import { hasErrors, validate } from "../manifest/validate.ts";
import { catalogueOf } from "../model/catalogue.ts";
import { bySeverity } from "../model/problem-line.ts";
import type { Problem } from "../model/types.ts";
import { type OverrideCount, overridesAmong } from "../plan/overrides.ts";
import type { Actionable } from "../report/findings.ts";
import { sectionText } from "../report/text.ts";
import { overriddenSection } from "../report/view.ts";
import { nameProblems, secretFormProblems } from "../run/context.ts";
import { rulesInForce } from "../run/rules-in-force.ts";
import { createSecrets } from "../secrets/secrets.ts";
import { ledgerKey } from "../state/ledger/ledger.ts";
import { type Loaded, loadWorkspace } from "../workspace/load.ts";
import type { Options } from "./command.ts";
import { knownFleet } from "./known-fleet.ts";
import { printProblems } from "./outputs.ts";
import { type FindingsResult, findingForms, showingFindings } from "./plan-reports.ts";
import type { Terminal } from "./terminal.ts";

export const run = showingFindings<Options<"validate">, Actionable>(
  "validate",
  findingForms,
  async (terminal, options) => {
    const loaded = loadWorkspace(terminal.folder, terminal.env);
    const { problems: all, policies, size } = check(terminal, loaded, options.asOf ?? dayOf(new Date()));
    const { problems, warnings } = bySeverity(all);
    printProblems(terminal, { problems, warnings });
    if (hasErrors(all))
      return toResult(all, () => validText(terminal, `Not valid: ${counted(problems.length, "problem")}.`));
    const overrides = await readOverrides(terminal, loaded, policies);
    return toResult(all, () => validText(terminal, `Valid: ${size}.`, overrides), overrides);
  },
  ({ message }) => toResult([{ severity: "error", rule: "setup", message }], () => ""),
);

function toResult(
  all: readonly Problem[],
  text: () => string,
  overrides: readonly OverrideCount[] = [],
): FindingsResult<Actionable> {
  const { problems, warnings } = bySeverity(all);
  const valid = !hasErrors(all);
  return {
    ...{ text, json: { format_version: "1.0", valid, problems, warnings, overrides } },
    plan: { resource_changes: [], objections: [], problems, warnings },
    ...{ catalogue: catalogueOf(), exitCode: valid ? exit.done : exit.problem, compared: true },
  };
}

function validText({ palette }: Terminal, text: string, overrides: readonly OverrideCount[] = []): string {
  const view = { sections: [overriddenSection(overrides)], rows: [] };
  return paragraphs([sectionText(view, "overridden", palette), palette.strong(text)]);
}

function check({ env }: Terminal, loaded: Loaded, today: string) {
  const { problems: found, policies, expired, rules, plaintext } = validate(loaded, today);
  const { root, providers, workspace } = loaded;
  const secrets = createSecrets({ env, root, plaintext, providers });
  const inForce = rulesInForce(rules, env, today);
  const stated = [
    ...found,
    ...secretFormProblems(policies, workspace.catalogue, secrets),
    ...inForce.problems,
    ...nameProblems(loaded, env),
  ];
  const keyProblems = workspace.ledger === undefined ? [] : ledgerKey({ root, env }).problems;
  const policyCount = counted(policies.length + expired.length, "policy", "policies");
  const ruleCount = inForce.rules.length > 0 ? `, ${counted(inForce.rules.length, "rule")}` : "";
  return { problems: [...sortedProblems(stated), ...keyProblems], policies, size: policyCount + ruleCount };
}

async function readOverrides(terminal: Terminal, { root, workspace }: Loaded, policies: readonly Policy[]) {
  if (!policies.some(isWide)) return [];
  const fleet = await knownFleet(terminal, undefined, root, workspace);
  return overridesAmong(policies, knownProjects(policies, fleet?.projects));
}
