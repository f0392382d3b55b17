import { counted } from "../../base/text-format.ts";
import { turnsOff } from "../../model/removal-changes.ts";
import type { Objection } from "../guards.ts";
import { type Plan, visibleOf } from "../plan.ts";
import { peopleAmong, type Signer } from "./allowed-signers.ts";
import type { SshSignature } from "./ssh-signature.ts";

/** The namespace of signatures on plans. */
export const planNamespace = "evenkeel-plan";

/** What is signed (docs/approvals.md): a plan edited afterwards has another digest. */
export function messageOf({ digest, server }: Pick<Plan, "digest" | "server">): string {
  return `${digest}\n${server.url}\n`;
}

/** The required approvals. */
export interface ApprovalPolicy {
  readonly rules: readonly { readonly when: Occasion; readonly count: number }[];
  readonly signers: readonly Signer[];
  /** Milliseconds: approvals of an older plan do not count. */
  readonly expire: number | undefined;
}

type Occasion = "always" | "removals" | "loosening" | "protected";

/** A saved plan, as it was read, and its signatures. */
interface SignedPlan {
  readonly plan: Plan;
  readonly signatures: readonly (SshSignature | undefined)[];
}

export interface ApprovalContext {
  readonly policy: ApprovalPolicy;
  /** Undefined without a saved plan. */
  readonly signed: SignedPlan | undefined;
  readonly isProtected: (address: string) => boolean;
  readonly now: Date;
}

/** An objection if a plan lacks required approvals. */
export function verifyApprovals(plan: Plan, context: ApprovalContext): readonly Objection[] {
  const needed = neededFor(plan, context);
  const lack = needed && lackOf(needed, context);
  if (!lack) return [];
  const { message, given } = lack;
  return [{ guard: "approvals", message, addresses: [], approvals: { needed: needed.count, given } }];
}

/** People by whether they have approved a plan. */
export interface PlanApprovers {
  readonly approved: readonly string[];
  readonly others: readonly string[];
}

/** Who has approved a saved plan, and who else may. */
export function approversOf({ plan, signatures }: SignedPlan, context: ApprovalContext): PlanApprovers {
  const { signers } = context.policy;
  const verified = signatures.map((signature) => signerOf(signature, plan, context));
  const approved = peopleAmong(
    verified.flatMap((signer) => (typeof signer === "string" ? [] : [signer])),
    signers,
  );
  const everyone = peopleAmong(
    signers.filter((signer) => isValid(signer, context.now)),
    signers,
  );
  const names = approved.map(({ name }) => name);
  return { approved: names, others: everyone.map(({ name }) => name).filter((name) => !names.includes(name)) };
}

interface Needed {
  readonly count: number;
  readonly because: string;
}

function neededFor(plan: Plan, { policy, isProtected }: ApprovalContext): Needed | undefined {
  const changes = plan.resource_changes.map(visibleOf);
  const holds: Readonly<Record<Occasion, (change: (typeof changes)[number]) => boolean>> = {
    always: () => true,
    removals: turnsOff,
    loosening: ({ policyEffect }) => policyEffect === "loosened",
    protected: ({ address }) => isProtected(address),
  };
  const [strictest] = policy.rules
    .filter(({ when }) => changes.some(holds[when]))
    .toSorted((a, b) => b.count - a.count);
  return strictest && { count: strictest.count, because: reasons[strictest.when] };
}

const reasons: Readonly<Record<Occasion, string>> = {
  always: "it has changes",
  removals: "it disables or deletes something",
  loosening: "it loosens a policy",
  protected: "it changes protected resources",
};

interface Lack {
  readonly message: string;
  /** How many approvals count. */
  readonly given: number;
}

function lackOf({ count, because }: Needed, context: ApprovalContext): Lack | undefined {
  const { policy, signed, now } = context;
  const able = peopleAmong(policy.signers).length;
  const few = able < count ? `, and only ${counted(able, "person", "people")} may approve` : "";
  const needs = `the plan needs ${counted(count, "approval")} because ${because}${few}`;
  if (!signed) return { message: `${needs}; ${advice}`, given: 0 };
  const { plan, signatures } = signed;
  const late = lateness(plan, policy, now);
  if (late) return { message: `${needs}; ${late}, so its approvals do not count; plan again`, given: 0 };
  const verified = signatures.map((signature) => signerOf(signature, plan, context));
  const signers = verified.flatMap((signer) => (typeof signer === "string" ? [] : [signer]));
  const people = peopleAmong(signers, policy.signers);
  const given = people.length;
  if (given >= count) return undefined;
  const has = given === 0 ? "it has none" : `it has ${given} (${people.map(({ name }) => name).join(", ")})`;
  const unusable = verified.flatMap((why, index) => (typeof why === "string" ? [`signature ${index + 1} ${why}`] : []));
  const message = [`${needs}; ${has}`, ...unusable.slice(0, mostReasons), ...moreOf(unusable.length)].join("; ");
  return { message, given };
}

const mostReasons = 10;

function moreOf(count: number): readonly string[] {
  return count > mostReasons ? [`and ${count - mostReasons} more that do not count`] : [];
}

const advice = "save it with plan --out FILE, sign it with approve FILE, and apply FILE";

/** Plans from the future are rejected, because they would not expire. */
function lateness({ created_at: created }: Plan, { expire }: ApprovalPolicy, now: Date): string | undefined {
  if (expire === undefined) return undefined;
  const age = now.getTime() - new Date(created).getTime();
  if (age >= -clockSkew && age <= expire) return undefined;
  if (age < 0) return `its time, ${created}, is in the future`;
  return Number.isNaN(age) ? "its time cannot be read" : `it is older than ${expire / 3_600_000} h`;
}

/** Milliseconds that clocks of two machines may differ. */
const clockSkew = 5 * 60_000;

/** The signer, or why the signature does not count, as the end of "signature 1 …". Only signatures with listed keys are verified. */
function signerOf(signature: SshSignature | undefined, plan: Plan, { policy, now }: ApprovalContext): Signer | string {
  if (!signature) return "is damaged, or of a key type that is not supported";
  if (signature.namespace !== planNamespace) return `is for ${signature.namespace}, not for ${planNamespace}`;
  const listed = policy.signers.filter(({ key }) => key === signature.key);
  if (listed.length === 0) return "was made with a key that the signers file does not list";
  if (!signature.verifies(messageOf(plan))) return "was made for another plan";
  return listed.find((signer) => isValid(signer, now)) ?? "was made with a key that is not valid now";
}

function isValid({ validAfter, validBefore }: Signer, now: Date): boolean {
  return !(validAfter && now < validAfter) && !(validBefore && now >= validBefore);
}
