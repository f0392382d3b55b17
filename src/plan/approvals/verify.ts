import { counted } from "../../base/text-format.ts";
import { removes } from "../../model/removal-changes.ts";
import type { Objection } from "../guards.ts";
import { type Plan, visibleOf } from "../plan.ts";
import type { SshSignature } from "./ssh-signature.ts";

export const planNamespace = "evenkeel-plan";

/** The signed message (docs/approvals.md): a plan that was edited afterwards has another digest. */
export function messageOf({ digest, server }: Pick<Plan, "digest" | "server">): string {
  return `${digest}\n${server.url}\n`;
}

export interface ApprovalPolicy {
  readonly rules: readonly { readonly when: Occasion; readonly count: number }[];
  readonly signers: readonly Signer[];
  /** Milliseconds: approvals of an older plan do not count. */
  readonly expire: number | undefined;
}

type Occasion = "always" | "removals" | "loosening" | "protected";

export interface SignedPlan {
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

export function verifyApprovals(plan: Plan, context: ApprovalContext): readonly Objection[] {
  const rule = findStrictest(plan, context);
  const lack = rule && findLack(rule, context);
  if (!lack) return [];
  const approvals = { needed: rule.count, given: lack.given };
  return [{ guard: "approvals", message: lack.message, addresses: [], approvals }];
}

export interface PlanApprovers {
  readonly approved: readonly string[];
  readonly others: readonly string[];
}

export function approversOf(signed: SignedPlan, context: ApprovalContext): PlanApprovers {
  const { signers } = context.policy;
  const { approved } = countSignatures(signed, context);
  const valid = signers.filter((signer) => isValid(signer, context.now));
  return { approved, others: namesOf(valid, signers).filter((name) => !approved.includes(name)) };
}

/** The names of the people who signed, and the reasons why other signatures do not count. */
function countSignatures({ plan, signatures }: SignedPlan, context: ApprovalContext) {
  const verified = signatures.map((signature) => findSigner(signature, plan, context));
  const signers = verified.flatMap((signer) => (typeof signer === "string" ? [] : [signer]));
  const unusable = verified.flatMap((why, index) => (typeof why === "string" ? [`signature ${index + 1} ${why}`] : []));
  return { approved: namesOf(signers, context.policy.signers), unusable };
}

type ApprovalRule = ApprovalPolicy["rules"][number];

function findStrictest(plan: Plan, { policy, isProtected }: ApprovalContext): ApprovalRule | undefined {
  const changes = plan.resource_changes.map(visibleOf);
  const holds: Readonly<Record<Occasion, (change: (typeof changes)[number]) => boolean>> = {
    always: () => true,
    removals: removes,
    loosening: ({ policyEffect }) => policyEffect === "loosened",
    protected: ({ address }) => isProtected(address),
  };
  return policy.rules.filter(({ when }) => changes.some(holds[when])).toSorted((a, b) => b.count - a.count)[0];
}

const reasons: Readonly<Record<Occasion, string>> = {
  always: "it has changes",
  removals: "it disables or deletes something",
  loosening: "it loosens a policy",
  protected: "it changes protected resources",
};

function findLack({ count, when }: ApprovalRule, context: ApprovalContext) {
  const { policy, signed, now } = context;
  const able = peopleAmong(policy.signers).length;
  const few = able < count ? `, and only ${counted(able, "person", "people")} may approve` : "";
  const needs = `the plan needs ${counted(count, "approval")} because ${reasons[when]}${few}`;
  if (!signed) return { message: `${needs}; ${advice}`, given: 0 };
  const late = lateness(signed.plan, policy, now);
  if (late) return { message: `${needs}; ${late}, so its approvals do not count; plan again`, given: 0 };
  const { approved, unusable } = countSignatures(signed, context);
  const given = approved.length;
  if (given >= count) return undefined;
  const has = given === 0 ? "it has none" : `it has ${given} (${approved.join(", ")})`;
  const more = unusable.length - mostReasons;
  const rest = more > 0 ? [`and ${more} more that do not count`] : [];
  return { message: [`${needs}; ${has}`, ...unusable.slice(0, mostReasons), ...rest].join("; "), given };
}

const mostReasons = 10;

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

/**
 * The signer; for a signature that does not count, the reason as the end of "signature 1 …". Only signatures with
 * listed keys are verified.
 */
function findSigner(
  signature: SshSignature | undefined,
  plan: Plan,
  { policy, now }: ApprovalContext,
): Signer | string {
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

/** A line of an `allowed_signers` file (ssh-keygen(1), ALLOWED SIGNERS). */
interface Signer {
  /** The principals of the line. */
  readonly name: string;
  /** Normalized names. Signers that share one are the same person. */
  readonly principals: readonly string[];
  /** `ssh-ed25519 AAAA…`. */
  readonly key: string;
  /** Validity period of the key; open if undefined. */
  readonly validAfter?: Date;
  readonly validBefore?: Date;
}

/**
 * Parses an `allowed_signers` file. Lines for other namespaces are ignored. Patterns and certificate authorities are
 * faults, because they do not identify a person. The first line is 1.
 */
export function allowedSigners(text: string, namespace: string) {
  const lines = text
    .split(/\r?\n/)
    .map((line, index) => ({ line: index + 1, read: parseSigner(line.trim(), namespace) }));
  return {
    signers: lines.flatMap(({ read }) => (typeof read === "object" ? [read] : [])),
    faults: lines.flatMap(({ line, read }) => (typeof read === "string" ? [{ line, message: read }] : [])),
  };
}

const parts =
  /^("[^"]+"|[^"\s]+)\s+(?:((?:[^\s"]|"(?:[^"\\]|\\.)*")+)\s+)??((?:ssh|ecdsa|sk)-[\w.@-]+)\s+([A-Za-z0-9+/]+=*)(?:\s|$)/;

/** A signer or an error message; undefined for comments and lines for other namespaces. */
function parseSigner(line: string, namespace: string): Signer | string | undefined {
  if (line === "" || line.startsWith("#")) return undefined;
  const [, quoted, optionText = "", type, key] = parts.exec(line) ?? [];
  if (!quoted || !type || !key) return "expected PRINCIPAL[,PRINCIPAL] [OPTIONS] KEY-TYPE KEY";
  const name = quoted.replaceAll('"', "");
  if (/[*?!]/.test(name)) return `${name} is a pattern; list each person by name, so that two approvals are two people`;
  const options = parseOptions(optionText);
  if (typeof options === "string") return options;
  const { namespaces, "valid-after": after, "valid-before": before } = options;
  if (namespaces !== undefined && !isListed(namespaces.split(","), namespace)) return undefined;
  const [validAfter, validBefore] = [parseTime(after), parseTime(before)];
  if (validAfter === null || validBefore === null) return "expected a time such as 20270630 or 202706301200Z";
  const principals = name
    .split(",")
    .map(normalizeName)
    .filter((each) => each !== "");
  if (principals.length === 0) return "expected a name that can be read";
  return {
    name,
    principals,
    key: `${type} ${key}`,
    ...(validAfter && { validAfter }),
    ...(validBefore && { validBefore }),
  };
}

/** Ignores differences that people do not see: case, Unicode forms, spaces and invisible characters. */
function normalizeName(name: string): string {
  const visible = name.normalize("NFKC").replace(/[\p{Default_Ignorable_Code_Point}\p{C}]/gu, "");
  return visible.toLowerCase().normalize("NFKC").replace(/\s+/g, " ").trim();
}

type Options = Readonly<Partial<Record<"namespaces" | "valid-after" | "valid-before", string>>>;

function parseOptions(text: string): Options | string {
  const matches = [...text.matchAll(/([\w-]+)(?:="((?:[^"\\]|\\.)*)"|=([^,"]*))?(?:,|$)/g)];
  if (matches.map(([all]) => all).join("") !== text) return `cannot read the options ${text}`;
  const unknown = matches.map(([, name = ""]) => name.toLowerCase()).find((name) => !known.includes(name));
  if (unknown === "cert-authority") return "certificate authorities are not supported; list the key of each person";
  if (unknown !== undefined) return `unknown option ${unknown}; expected one of ${known.join(", ")}`;
  if (new Set(matches.map(([, name = ""]) => name.toLowerCase())).size < matches.length) {
    return `an option is given twice in ${text}`;
  }
  return Object.fromEntries(matches.map(([, name = "", quoted, plain]) => [name.toLowerCase(), quoted ?? plain ?? ""]));
}

const known: readonly string[] = ["namespaces", "valid-after", "valid-before"];

/** Pattern lists of OpenSSH: a match with `!` excludes, even if others match. */
function isListed(patterns: readonly string[], text: string): boolean {
  const isExcluded = patterns.some((pattern) => pattern.startsWith("!") && matches(pattern.slice(1), text));
  return !isExcluded && patterns.some((pattern) => matches(pattern, text));
}

/** Patterns of OpenSSH: `*` and `?`. */
function matches(pattern: string, text: string): boolean {
  const escaped = pattern.replace(/[\\^$.+()[\]{}|]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/\*+/g, ".*").replaceAll("?", ".")}$`).test(text);
}

/** `YYYYMMDD[HHMM[SS]]`, local time or, with a `Z`, UTC; null if invalid. */
function parseTime(text: string | undefined): Date | null | undefined {
  if (text === undefined) return undefined;
  const [, year, month, day, hour = "00", minute = "00", second = "00", zone = ""] =
    /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(Z?)$/i.exec(text) ?? [];
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone.toUpperCase()}`);
  return Number.isNaN(time.getTime()) ? null : time;
}

function namesOf(signers: readonly Signer[], listed: readonly Signer[]): readonly string[] {
  return peopleAmong(signers, listed).map(({ name }) => name);
}

/** One signer per person among `signers`. Lines of `listed` that share a name or a key are one person. */
export function peopleAmong(signers: readonly Signer[], listed: readonly Signer[] = signers): readonly Signer[] {
  let people: readonly (readonly Signer[])[] = [];
  for (const signer of listed) {
    const marks = new Set([...signer.principals, signer.key]);
    const isSame = (person: readonly Signer[]) =>
      person.some(({ principals, key }) => [...principals, key].some((mark) => marks.has(mark)));
    people = [...people.filter((person) => !isSame(person)), [...people.filter(isSame).flat(), signer]];
  }
  const firstOf = (signer: Signer) =>
    signers.find((each) => people.some((all) => all.includes(each) && all.includes(signer)));
  return signers.filter((signer) => firstOf(signer) === signer);
}
