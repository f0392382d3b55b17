import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import schema from "../../schemas/approvals.schema.json" with { type: "json" };
import { ifPossible } from "../base/exit.ts";
import { durationOf } from "../base/rate.ts";
import { compile } from "../base/schema.ts";
import { counted } from "../base/text-format.ts";
import { parseChecked } from "../model/checked-yaml.ts";
import type { Place, Problem } from "../model/types.ts";
import { type ApprovalPolicy, allowedSigners, peopleAmong, planNamespace } from "../plan/approvals/verify.ts";
import { warnIfReachable } from "../secrets/providers-file.ts";

interface ApprovalText extends Pick<ApprovalPolicy, "rules"> {
  readonly signers: string;
  readonly expire?: string;
}

export interface ReadPolicy {
  readonly policy?: ApprovalPolicy;
  readonly problems: readonly Problem[];
}

/** Warnings if a merge request can edit the file in EVENKEEL_APPROVALS or its file of signers. */
export function approvalsInside(
  { EVENKEEL_APPROVALS: file }: Readonly<Record<string, string | undefined>>,
  root: string,
): readonly Problem[] {
  if (!file) return [];
  const parsed = parsedPolicy(readIfPossible(file) ?? "", file);
  const signers = "value" in parsed ? signersPath(parsed.value, file) : undefined;
  const warn = (path: string, what: string, harm: string) => warnIfReachable(root, path, "approvals", what, harm);
  return [
    ...warn(file, "the file of approvals is", "change who has to approve"),
    ...(signers === undefined ? [] : warn(signers, "the file of signers is", "change who may approve")),
  ];
}

/** Empty if the variable is not set. Fewer signers than required are a warning: plans that need them are refused. */
export function approvalPolicy({ EVENKEEL_APPROVALS: file }: Readonly<Record<string, string | undefined>>): ReadPolicy {
  if (file === undefined) return { problems: [] };
  if (file.trim() === "")
    return { problems: [createProblem("EVENKEEL_APPROVALS is empty; expected a file of approvals")] };
  const text = readIfPossible(file);
  if (text === undefined)
    return { problems: [createProblem(`EVENKEEL_APPROVALS names ${file}, which cannot be read`)] };
  const parsed = parsedPolicy(text, file);
  return "problems" in parsed ? parsed : withSigners(parsed.value, file);
}

const checkShape = compile(schema);

function parsedPolicy(text: string, file: string) {
  const checks = { rule: "approvals", shape: checkShape, empty: {} as ApprovalText, faults: () => [] };
  return parseChecked<ApprovalText>(text, file, checks);
}

function signersPath({ signers }: ApprovalText, file: string): string {
  return resolve(dirname(file), signers);
}

function withSigners(text: ApprovalText, file: string): ReadPolicy {
  const { rules, expire } = text;
  const path = signersPath(text, file);
  const listed = readIfPossible(path);
  if (listed === undefined) return { problems: [createProblem(`${path}, the signers of ${file}, cannot be read`)] };
  const { signers, faults } = allowedSigners(listed, planNamespace);
  if (faults.length > 0) {
    return { problems: faults.map(({ line, message }) => createProblem(message, { file: path, line, column: 1 })) };
  }
  const people = peopleAmong(signers).length;
  const largest = Math.max(...rules.map(({ count }) => count));
  const few = `${file} asks for ${counted(largest, "approval")}, and ${path} names ${people === 0 ? "no one" : people}`;
  const problems: readonly Problem[] = people < largest ? [{ ...createProblem(few), severity: "warning" }] : [];
  return { policy: { rules, signers, expire: expire === undefined ? undefined : durationOf(expire) }, problems };
}

function createProblem(message: string, place?: Place): Problem {
  return { severity: "error", rule: "approvals", message, ...(place && { place }) };
}

function readIfPossible(file: string): string | undefined {
  return ifPossible(() => readFileSync(file, "utf8"));
}
