import { resolve } from "node:path";
import { dayOf } from "../base/day.ts";
import { exit, exitCode, UserError } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { counted, paragraphs } from "../base/text-format.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { armoredBlocks, sshSignatures } from "../plan/approvals/ssh-signature.ts";
import { messageOf, planNamespace } from "../plan/approvals/verify.ts";
import { mergePlans, type NamedPlan } from "../plan/merge.ts";
import type { Plan } from "../plan/plan.ts";
import { runEnd } from "../plan/run-end.ts";
import { outcomesText } from "../report/outcomes.ts";
import { nextStepsText } from "../report/terminal.ts";
import { planText, signedPlanText } from "../report/text.ts";
import { failedPlan } from "../run/failed-plan.ts";
import { signatureFileOf, signaturesInState, signatureText } from "../run/prepared-plan.ts";
import { mergedByRules } from "../run/rules-in-force.ts";
import { planOfRun, planPath, readPlan, readReport } from "../run/saved-plan.ts";
import { catalogueAround } from "../workspace/load.ts";
import { signedBySsh } from "../workspace/ssh-keygen.ts";
import type { Options } from "./command.ts";
import { stateAround } from "./history.ts";
import { stepsAfterApproval } from "./next-steps.ts";
import { printProblems, save, showing } from "./outputs.ts";
import { type FindingsResult, planForms, showingFindings } from "./plan-reports.ts";
import type { Terminal } from "./terminal.ts";

export const run = showing<Options<"approve">>(async (terminal, options, [file]) => {
  const { plan: savedRun } = options;
  if ((file === undefined) === (savedRun === undefined)) {
    throw new UserError("approve needs a saved plan: give either its file or --plan RUN", exit.usage);
  }
  const { plan, name, place, signatures } = await (savedRun === undefined
    ? signFile(terminal, options, file ?? "")
    : signInState(terminal, options, savedRun));
  const { summary, resource_changes: changes, digest, server } = plan;
  const changed = `${counted(changes.length, "change")} in ${counted(summary.changed_projects, "project")}`;
  const signed = printable(`Signed ${name}: ${changed} on ${server.url}, ${digest.slice(0, 19)}.`);
  // The approvals required when the plan was saved; an apply checks its own rules.
  const needed = Math.max(0, ...plan.objections.map(({ approvals }) => approvals?.needed ?? 0));
  const when = needed > 0 ? `; the plan needed ${counted(needed, "approval")} when it was saved` : "";
  const done = `${signed}\n${printable(place)} holds ${counted(signatures, "signature")}${when}.`;
  const next = stepsAfterApproval(options, file);
  return {
    text: (palette) => paragraphs([done, nextStepsText(next, palette)]),
    json: () => ({ plan: name, digest: plan.digest, file: place, signatures }),
  };
});

async function signFile(terminal: Terminal, options: Options<"approve">, name: string) {
  const path = resolve(terminal.cwd, name);
  const catalogue = catalogueAround(terminal.folder);
  const plan = await readPlan(path);
  const added = createSignature(plan, catalogue, terminal, options);
  const { kept, dropped } = signaturesToKeep(signatureText(path), added, plan);
  const armored = [...kept, added];
  save(terminal, signatureFileOf(path), `${armored.join("\n")}\n`);
  const place = signatureFileOf(name);
  if (dropped > 0) terminal.note(printable(`Removed ${counted(dropped, "signature")} of another plan from ${place}.`));
  return { plan, name, place, signatures: armored.length };
}

/** Adds a signature to the state; a second one by the same key changes nothing. */
async function signInState(terminal: Terminal, options: Options<"approve">, savedRun: string) {
  await using state = await stateAround(terminal);
  const catalogue = catalogueAround(terminal.folder);
  const plan = await planOfRun(state, savedRun);
  const added = createSignature(plan, catalogue, terminal, options);
  const { kept } = signaturesToKeep(await signaturesInState(state, savedRun), "", plan);
  if (!kept.some((block) => readKey(block) === readKey(added))) await state.append("signatures", savedRun, [added]);
  const place = `${state.place}, run ${savedRun},`;
  const { length: signatures } = armoredBlocks(await signaturesInState(state, savedRun));
  return { plan, name: savedRun, place, signatures };
}

/** Shows the summary of the plan before signing, since a signature cannot be revoked. */
function createSignature(plan: Plan, catalogue: Catalogue, terminal: Terminal, { key }: Options<"approve">): string {
  const { cwd, env, note, warnings } = terminal;
  note(`${signedPlanText(plan, catalogue, warnings)}\n`);
  const file = key === undefined ? undefined : resolve(cwd, key);
  return signedBySsh({ message: messageOf(plan), namespace: planNamespace, key: file, env }).trim();
}

function readKey(block: string): string | undefined {
  return sshSignatures(block)[0]?.key;
}

/** The signatures of this plan by other keys; those of an earlier plan in the same file are invalid. */
function signaturesToKeep(text: string, added: string, plan: Plan): { kept: readonly string[]; dropped: number } {
  const own = readKey(added);
  const read = armoredBlocks(text).map((block) => ({ block, signature: sshSignatures(block)[0] }));
  const stale = read.filter(({ signature }) => signature && !signature.verifies(messageOf(plan)));
  const others = read.filter((each) => !stale.includes(each) && (own === undefined || each.signature?.key !== own));
  return { kept: others.map(({ block }) => block), dropped: stale.length };
}

export const mergeShards = showingFindings<Options<"merge">, Plan>("merge", planForms, merge, (refusal) => {
  const { plan, catalogue, compared } = failedPlan(undefined, refusal);
  return { text: () => "", json: plan, plan, catalogue, exitCode: refusal.code, compared };
});

async function merge(terminal: Terminal, options: Options<"merge">, files: readonly string[]): Promise<FindingsResult> {
  const folder = terminal.folder;
  const catalogue = catalogueAround(folder);
  const readPart = async (name: string): Promise<NamedPlan> => ({
    name,
    plan: await readReport(planPath(terminal.cwd, name)),
  });
  const [first, ...others] = await Promise.all(files.map(readPart));
  if (!first) throw new UserError("merge needs the plans of the shards", exit.usage);
  const parts = [first, ...others] as const;
  const plan = await mergedByRules(mergePlans(parts), { folder, env: terminal.env, today: dayOf(new Date()) });
  const compared = parts.some(({ plan: { summary, problems } }) => summary.projects > 0 || problems.length === 0);
  const outcomes = new Map(
    plan.resource_changes.flatMap(({ address, outcome }) => (outcome ? [[address, outcome] as const] : [])),
  );
  const code = exitCode({
    ...runEnd({ problems: plan.problems, outcomes }),
    pending: options.detailedExitcode === true && plan.summary.writes > 0,
  });
  printProblems(terminal, plan);
  const { palette } = terminal;
  const text = () => (plan.summary.outcomes ? outcomesText(plan, palette) : planText(plan, catalogue, palette));
  return { text: () => (compared ? text() : ""), json: plan, plan, catalogue, exitCode: code, compared };
}
