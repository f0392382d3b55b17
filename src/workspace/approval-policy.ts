import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import schema from "../../schemas/approvals.schema.json" with { type: "json" };
import { counted } from "../base/text.ts";
import { durationOf } from "../manifest/duration.ts";
import { parseChecked } from "../model/checked-yaml.ts";
import type { Place, Problem } from "../model/types.ts";
import { allowedSigners, peopleAmong } from "../plan/allowed-signers.ts";
import { type ApprovalPolicy, planNamespace } from "../plan/approvals.ts";

interface ApprovalText extends Pick<ApprovalPolicy, "rules"> {
  readonly signers: string;
  readonly expire?: string;
}

/** What somebody asks for, or what is wrong with it. */
export interface ReadPolicy {
  readonly policy?: ApprovalPolicy;
  readonly problems: readonly Problem[];
}

/** A warning where EVENKEEL_APPROVALS names a file that a merge request can edit. */
export function approvalsInside(
  { EVENKEEL_APPROVALS: file }: Readonly<Record<string, string | undefined>>,
  root: string,
): readonly Problem[] {
  if (!file || !existsSync(file) || !realpathSync(file).startsWith(realpathSync(root) + sep)) return [];
  const message =
    "the file of approvals is inside the workspace: whoever edits manifests can change who has to approve";
  return [{ ...problemOf(message, { file, line: 1, column: 1 }), severity: "warning" }];
}

/**
 * What EVENKEEL_APPROVALS asks for, read from where no merge request can edit it; nothing where it is not set. A file
 * that cannot be read, has mistakes, or that nobody could satisfy is a problem.
 */
export function approvalPolicy({ EVENKEEL_APPROVALS: file }: Readonly<Record<string, string | undefined>>): ReadPolicy {
  if (!file) return { problems: [] };
  const text = textOf(file);
  if (text === undefined) return { problems: [problemOf(`EVENKEEL_APPROVALS names ${file}, which cannot be read`)] };
  const checks = { rule: "approvals", schema, empty: {} as ApprovalText, faults: () => [] };
  const parsed = parseChecked<ApprovalText>(text, file, checks);
  return "problems" in parsed ? parsed : withSigners(parsed.value, file);
}

function withSigners({ rules, expire, signers: name }: ApprovalText, file: string): ReadPolicy {
  const path = resolve(dirname(file), name);
  const text = textOf(path);
  if (text === undefined) return { problems: [problemOf(`${path}, the signers of ${file}, cannot be read`)] };
  const { signers, faults } = allowedSigners(text, planNamespace);
  if (faults.length > 0) {
    return { problems: faults.map(({ line, message }) => problemOf(message, { file: path, line, column: 1 })) };
  }
  const people = peopleAmong(signers).length;
  const largest = Math.max(...rules.map(({ count }) => count));
  const few = `${file} asks for ${counted(largest, "approval")}, and ${path} names ${people === 0 ? "nobody" : people}`;
  if (people < largest) return { problems: [problemOf(few)] };
  return { policy: { rules, signers, expire: expire === undefined ? undefined : durationOf(expire) }, problems: [] };
}

function problemOf(message: string, place?: Place): Problem {
  return { severity: "error", rule: "approvals", message, ...(place && { place }) };
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
