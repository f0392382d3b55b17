import { resolve } from "node:path";
import { exit, Refusal } from "../base/exit.ts";
import { systemTrouble } from "../base/system-errors.ts";
import { counted } from "../base/text.ts";
import { messageOf, planNamespace } from "../plan/approvals.ts";
import type { Plan } from "../plan/plan.ts";
import { armoredBlocks, sshSignatures } from "../plan/ssh-signature.ts";
import { signatureFileOf, signatureText } from "../reconcile/approvals.ts";
import { readPlan } from "../reconcile/saved-plan.ts";
import { replaceFile } from "../workspace/durable-file.ts";
import { signedBySsh } from "../workspace/ssh-keygen.ts";
import type { Options } from "./flags.ts";
import { reporter } from "./outputs.ts";
import type { Run } from "./verb.ts";

/** `evenkeel approve PLAN`: signs a saved plan; offline, and without a token. */
export const run: Run<Options<"approve">> = (terminal, options, [name = ""]) => {
  const report = reporter(terminal, options.report);
  const path = resolve(terminal.cwd, name);
  const plan = readPlan(path);
  const key = options.key === undefined ? undefined : resolve(terminal.cwd, options.key);
  const added = signedBySsh({ message: messageOf(plan), namespace: planNamespace, key, env: terminal.env });
  const { kept, dropped } = signaturesToKeep(signatureText(path), added, plan);
  const armored = [...kept, added.trim()];
  write(signatureFileOf(path), `${armored.join("\n")}\n`);
  const file = signatureFileOf(name);
  if (dropped > 0) terminal.note(`Removed ${counted(dropped, "signature")} of another plan from ${file}.`);
  report({
    text: () => `Signed ${name}: ${contentsOf(plan)}.\n${file} holds ${counted(armored.length, "signature")}.`,
    json: () => JSON.stringify({ plan: name, digest: plan.digest, file, signatures: armored.length }, null, 2),
  });
  return exit.done;
};

/** Signatures of this plan by other keys; those of an earlier plan of the same name could not count any more. */
function signaturesToKeep(text: string, added: string, plan: Plan): { kept: readonly string[]; dropped: number } {
  const [own] = sshSignatures(added);
  const read = armoredBlocks(text).map((block) => ({ block, signature: sshSignatures(block)[0] }));
  const stale = read.filter(({ signature }) => signature && !signature.verifies(messageOf(plan)));
  const kept = read.filter((each) => !stale.includes(each) && each.signature?.key !== own?.key);
  return { kept: kept.map(({ block }) => block), dropped: stale.length };
}

function contentsOf({ summary, digest, server }: Plan): string {
  return `${counted(summary.writes, "change")} in ${counted(summary.changed_projects, "project")} on ${server.url}, ${digest.slice(0, 19)}`;
}

function write(file: string, text: string): void {
  try {
    replaceFile(file, text);
  } catch (error) {
    throw new Refusal(`cannot write ${file}: ${systemTrouble(error)}`);
  }
}
