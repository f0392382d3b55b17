import { UserError } from "../base/exit.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { sshSignatures } from "../plan/approvals/ssh-signature.ts";
import { verifyApprovals } from "../plan/approvals/verify.ts";
import { planDigest } from "../plan/plan.ts";
import { isThere, readRegular } from "../workspace/durable-file.ts";
import type { Checked, Context } from "./context.ts";
import type { PreparedPlan } from "./prepared-plan.ts";

/** A context with the approvals that applying its plan needs, as EVENKEEL_APPROVALS says. */
export async function withApprovals(context: Checked): Promise<Checked> {
  const { request, loaded } = context;
  if (request.env.EVENKEEL_APPROVALS === undefined) return context;
  // Loaded here and not before, because the parser of their file takes a tenth of the time of a small plan.
  const { approvalPolicy, approvalsInside } = await import("../workspace/approval-policy.ts");
  const { policy, problems: found } = approvalPolicy(request.env);
  const problems = [...found, ...approvalsInside(request.env, loaded.root)];
  return { ...context, ...(policy && { approvals: policy }), problems: [...context.problems, ...problems] };
}

/**
 * A plan, refused where it lacks approvals that its changes need (docs/approvals.md).
 * @throws UserError where the signatures cannot be read.
 */
export async function withApprovalObjections(prepared: PreparedPlan, context: Context): Promise<PreparedPlan> {
  const { approvals: policy } = context;
  if (!policy) return prepared;
  const { planned, refused, isProtected, saved } = prepared;
  const { plan } = planned;
  const signed = saved && { plan: saved, signatures: sshSignatures(await signaturesFor(context)) };
  const lacking = verifyApprovals(plan, { policy, signed, isProtected, now: new Date() });
  if (lacking.length === 0) return prepared;
  const blocked = { ...plan, objections: [...plan.objections, ...lacking] };
  // A saved plan keeps the digest that people signed.
  const shown = saved ? blocked : { ...blocked, digest: planDigest(blocked) };
  return { ...prepared, planned: { ...planned, plan: shown }, refused: [...refused, ...lacking] };
}

/** The armored signatures of the saved plan that a request names: beside its file, or in the state. */
async function signaturesFor({ request: { saved = "", savedRun }, state }: Context): Promise<string> {
  return savedRun === undefined ? signatureText(saved) : (await state.approvals.list(savedRun)).join("\n");
}

/** Where `approve` puts the signatures of a plan. */
export function signatureFileOf(plan: string): string {
  return `${plan}.sig`;
}

/** The armored signatures of a saved plan; empty where there are none. @throws UserError where they cannot be read. */
export function signatureText(plan: string): string {
  const file = signatureFileOf(plan);
  try {
    return isThere(file) ? readRegular(file) : "";
  } catch (error) {
    throw new UserError(`cannot read the signatures ${file}: ${describeSystemError(error)}`);
  }
}
