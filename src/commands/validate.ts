import { exitCode } from "../base/exit.ts";
import { counted } from "../base/text.ts";
import { hasErrors, validate } from "../manifest/validate.ts";
import { bySeverity } from "../model/problem-line.ts";
import type { Problem } from "../model/types.ts";
import { ledgerKey } from "../state/ledger-key.ts";
import { type Loaded, loadWorkspace } from "../workspace/load.ts";
import type { Options } from "./flags.ts";
import { printProblems } from "./print-problems.ts";
import { folderOf } from "./run.ts";
import { findingReporter } from "./surfaces.ts";
import type { Terminal } from "./terminal.ts";
import type { Run } from "./verb.ts";

/** What `validate --report json` prints. */
interface Verdict {
  readonly format_version: "1.0";
  readonly valid: boolean;
  readonly problems: readonly object[];
  readonly warnings: readonly object[];
}

/** `evenkeel validate`: every problem of every manifest, offline. */
export const run: Run<Options<"validate">> = (terminal, options) => {
  const tell = findingReporter(terminal, "validate", options);
  const loaded = loadWorkspace(folderOf(terminal, options));
  const { problems: found, policies } = validate(loaded);
  const all = [...found, ...keyProblems(terminal, loaded)];
  const { problems, warnings } = bySeverity(all);
  const valid = !hasErrors(all);
  const verdict: Verdict = { format_version: "1.0", valid, problems, warnings };
  printProblems(terminal, { problems, warnings });
  const policyCount = counted(policies.length, "policy", "policies");
  const text = valid ? `Valid: ${policyCount}.` : `Not valid: ${counted(problems.length, "problem")}.`;
  const code = exitCode({ problem: !valid });
  tell(
    { text: () => terminal.palette.strong(text), json: () => JSON.stringify(verdict, null, 2) },
    { plan: { resource_changes: [], objections: [], problems, warnings }, exitCode: code, surveyed: true },
  );
  return code;
};

function keyProblems({ env }: Terminal, { root, workspace }: Loaded): readonly Problem[] {
  return workspace.ledger === undefined ? [] : ledgerKey({ root, env }).problems;
}
