import { dayOf } from "../base/day.ts";
import { type ExitCode, exit, type UserError } from "../base/exit.ts";
import { counted, paragraphs } from "../base/text-format.ts";
import { isWide } from "../manifest/overrides.ts";
import type { Policy } from "../manifest/policies.ts";
import { sortedProblems } from "../manifest/problem.ts";
import { knownProjects } from "../manifest/projects.ts";
import { hasErrors, validate } from "../manifest/validate.ts";
import { catalogueOf } from "../model/catalogue.ts";
import { bySeverity } from "../model/problem-line.ts";
import type { Problem } from "../model/types.ts";
import { type OverrideCount, overridesAmong } from "../plan/overrides.ts";
import { sectionText } from "../report/text.ts";
import { overriddenSection } from "../report/view.ts";
import { nameProblems, secretFormProblems } from "../run/context.ts";
import { rulesInForce } from "../run/rules-in-force.ts";
import { createSecrets } from "../secrets/secrets.ts";
import { ledgerKey } from "../state/ledger/ledger.ts";
import { type Loaded, loadWorkspace } from "../workspace/load.ts";
import type { Options, Run } from "./command.ts";
import { keptFleet } from "./known-fleet.ts";
import { printProblems } from "./outputs.ts";
import { openFindingReports, withFailureReport } from "./plan-reports.ts";
import { folderOf } from "./run-request.ts";
import type { Terminal } from "./terminal.ts";

export const run: Run<Options<"validate">> = async (terminal, options) => {
  const write = await openFindingReports(terminal, "validate", options);
  const report: Report = (all, text, overrides = []) => {
    const { problems, warnings } = bySeverity(all);
    const valid = !hasErrors(all);
    const document = { format_version: "1.0", valid, problems, warnings, overrides };
    const exitCode = document.valid ? exit.done : exit.problem;
    write(
      { text: () => validText(terminal, text, overrides), json: () => JSON.stringify(document, null, 2) },
      {
        plan: { resource_changes: [], objections: [], problems, warnings },
        catalogue: catalogueOf(),
        exitCode,
        compared: true,
      },
    );
    return exitCode;
  };
  const refused = ({ message }: UserError) => void report([{ severity: "error", rule: "setup", message }], "");
  return withFailureReport(refused, () => validating(terminal, options, report));
};

type Report = (all: readonly Problem[], text: string, overrides?: readonly OverrideCount[]) => ExitCode;

function validText({ palette }: Terminal, text: string, overrides: readonly OverrideCount[]): string {
  const view = { sections: [overriddenSection(overrides)], rows: [] };
  return paragraphs([sectionText(view, "overridden", palette), palette.strong(text)]);
}

async function validating(terminal: Terminal, options: Options<"validate">, report: Report): Promise<ExitCode> {
  const loaded = loadWorkspace(folderOf(terminal, options), terminal.env);
  const today = options.asOf ?? dayOf(new Date());
  const { problems: found, policies, expired, rules, plaintext } = validate(loaded, today);
  const { root, providers, workspace } = loaded;
  const secrets = createSecrets({ env: terminal.env, root, plaintext, providers });
  const inForce = rulesInForce(rules, terminal.env, today);
  const stated = [
    ...found,
    ...secretFormProblems(policies, workspace.catalogue, secrets),
    ...inForce.problems,
    ...nameProblems(loaded, terminal.env),
  ];
  const all = [...sortedProblems(stated), ...keyProblems(terminal, loaded)];
  const { problems, warnings } = bySeverity(all);
  printProblems(terminal, { problems, warnings });
  const policyCount = counted(policies.length + expired.length, "policy", "policies");
  const ruleCount = inForce.rules.length > 0 ? `, ${counted(inForce.rules.length, "rule")}` : "";
  if (hasErrors(all)) return report(all, `Not valid: ${counted(problems.length, "problem")}.`);
  return report(all, `Valid: ${policyCount}${ruleCount}.`, await readOverrides(terminal, loaded, policies));
}

async function readOverrides(
  terminal: Terminal,
  { root, workspace }: Loaded,
  policies: readonly Policy[],
): Promise<readonly OverrideCount[]> {
  if (!policies.some(isWide)) return [];
  const fleet = await keptFleet(terminal, root, workspace);
  return overridesAmong(policies, knownProjects(policies, fleet?.projects));
}

function keyProblems({ env }: Terminal, { root, workspace }: Loaded): readonly Problem[] {
  return workspace.ledger === undefined ? [] : ledgerKey({ root, env }).problems;
}
