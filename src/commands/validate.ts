import { dayOf } from "../base/day.ts";
import { type ExitCode, exit, type UserError } from "../base/exit.ts";
import { counted } from "../base/text-format.ts";
import { expressionProblems } from "../manifest/own-kinds.ts";
import { sortedProblems } from "../manifest/problem.ts";
import { hasErrors, validate } from "../manifest/validate.ts";
import { catalogueOf } from "../model/catalogue.ts";
import { bySeverity } from "../model/problem-line.ts";
import type { Problem } from "../model/types.ts";
import { nameProblems } from "../run/context.ts";
import { rulesInForce } from "../run/rules-in-force.ts";
import { ledgerKey } from "../state/ledger/key.ts";
import { type Loaded, loadWorkspace } from "../workspace/load.ts";
import type { Run } from "./command.ts";
import { printProblems } from "./outputs.ts";
import { openFindingReports, withFailureReport } from "./plan-reports.ts";
import { folderOf } from "./run-request.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** The document of `validate --report json`. */
interface ValidationDocument {
  readonly format_version: "1.0";
  readonly valid: boolean;
  readonly problems: readonly object[];
  readonly warnings: readonly object[];
}

/** `evenkeel validate`: every problem of every manifest, offline. */
export const run: Run<Options<"validate">> = async (terminal, options) => {
  const write = await openFindingReports(terminal, "validate", options);
  const report = (all: readonly Problem[], text: string): ExitCode => {
    const { problems, warnings } = bySeverity(all);
    const document: ValidationDocument = { format_version: "1.0", valid: !hasErrors(all), problems, warnings };
    const exitCode = document.valid ? exit.done : exit.problem;
    write(
      { text: () => terminal.palette.strong(text), json: () => JSON.stringify(document, null, 2) },
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

async function validating(
  terminal: Terminal,
  options: Options<"validate">,
  report: (all: readonly Problem[], text: string) => ExitCode,
): Promise<ExitCode> {
  const loaded = loadWorkspace(folderOf(terminal, options), terminal.env);
  const today = options.asOf ?? dayOf(new Date());
  const { problems: found, policies, expired, rules } = validate(loaded, today);
  const inForce = await rulesInForce(rules, terminal.env, today);
  const expressions = await expressionProblems(loaded);
  const stated = [...found, ...expressions, ...inForce.problems, ...nameProblems(loaded, terminal.env)];
  const all = [...sortedProblems(stated), ...keyProblems(terminal, loaded)];
  const { problems, warnings } = bySeverity(all);
  printProblems(terminal, { problems, warnings });
  const policyCount = counted(policies.length + expired.length, "policy", "policies");
  const ruleCount = inForce.rules.length > 0 ? `, ${counted(inForce.rules.length, "rule")}` : "";
  return report(
    all,
    hasErrors(all) ? `Not valid: ${counted(problems.length, "problem")}.` : `Valid: ${policyCount}${ruleCount}.`,
  );
}

function keyProblems({ env }: Terminal, { root, workspace }: Loaded): readonly Problem[] {
  return workspace.ledger === undefined ? [] : ledgerKey({ root, env }).problems;
}
