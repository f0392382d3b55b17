import { dayOf } from "../base/day.ts";
import { exitCode } from "../base/exit.ts";
import { counted } from "../base/text.ts";
import { sortedProblems } from "../manifest/problem.ts";
import { hasErrors, validate } from "../manifest/validate.ts";
import { bySeverity } from "../model/problem-line.ts";
import type { Problem } from "../model/types.ts";
import { nameProblems } from "../reconcile/context.ts";
import { rulesInForce } from "../reconcile/rules.ts";
import { ledgerKey } from "../state/ledger-key.ts";
import { type Loaded, loadWorkspace } from "../workspace/load.ts";
import type { Options } from "./flags.ts";
import { printProblems } from "./print-problems.ts";
import { folderOf } from "./run.ts";
import { findingReporter } from "./surfaces.ts";
import type { Terminal } from "./terminal.ts";
import type { Run } from "./verb.ts";

/** What `validate --report json` prints. */
interface ValidationDocument {
  readonly format_version: "1.0";
  readonly valid: boolean;
  readonly problems: readonly object[];
  readonly warnings: readonly object[];
}

/** `evenkeel validate`: every problem of every manifest, offline. */
export const run: Run<Options<"validate">> = async (terminal, options) => {
  const tell = findingReporter(terminal, "validate", options);
  const loaded = loadWorkspace(folderOf(terminal, options), terminal.env);
  const today = options.asOf ?? dayOf(new Date());
  const { problems: found, policies, expired, rules } = validate(loaded, today);
  const inForce = await rulesInForce(rules, terminal.env, today);
  const stated = [...found, ...inForce.problems, ...nameProblems(loaded, terminal.env)];
  const all = [...sortedProblems(stated), ...keyProblems(terminal, loaded)];
  const { problems, warnings } = bySeverity(all);
  const valid = !hasErrors(all);
  const document: ValidationDocument = { format_version: "1.0", valid, problems, warnings };
  printProblems(terminal, { problems, warnings });
  const policyCount = counted(policies.length + expired.length, "policy", "policies");
  const ruleCount = inForce.rules.length > 0 ? `, ${counted(inForce.rules.length, "rule")}` : "";
  const text = valid ? `Valid: ${policyCount}${ruleCount}.` : `Not valid: ${counted(problems.length, "problem")}.`;
  const code = exitCode({ problem: !valid });
  tell(
    { text: () => terminal.palette.strong(text), json: () => JSON.stringify(document, null, 2) },
    { plan: { resource_changes: [], objections: [], problems, warnings }, exitCode: code, compared: true },
  );
  return code;
};

function keyProblems({ env }: Terminal, { root, workspace }: Loaded): readonly Problem[] {
  return workspace.ledger === undefined ? [] : ledgerKey({ root, env }).problems;
}
