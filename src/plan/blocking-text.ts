import { commonForm, foldedAlike } from "../base/common-form.ts";
import { counted, firstFew, joinedByAnd } from "../base/text-format.ts";
import { addressParts } from "../model/address.ts";
import type { Objection } from "./guards.ts";
import type { Plan } from "./plan.ts";

/**
 * What keeps a plan from being applied as it is, in a few words: `Blocked by deletePercent`, `Needs 2 approvals, has 1`.
 * Every report begins with it. Empty if nothing does.
 */
export function blockingText({ objections }: Pick<Plan, "objections">): string {
  const blocking = objections.filter(({ waived }) => !waived);
  const blockers = [...new Set(blocking.flatMap(blockerOf))];
  const blocked = blockers.length > 0 ? [`Blocked by ${joinedByAnd(blockers)}`] : [];
  return [...blocked, ...new Set(blocking.flatMap(lackOf))].join("; ");
}

/** What an objection names: the setting of the workspace, the option or the rule. */
function blockerOf({ guard, name }: Objection): readonly string[] {
  if (guard === "approvals") return [];
  return [name !== undefined && plainName.test(name) ? `rule ${name}` : blockers[guard]];
}

/** A file of a plan could hold any. */
const plainName = /^[\w.-]{1,80}$/;

const blockers: Readonly<Record<Exclude<Objection["guard"], "approvals">, string>> = {
  "delete-percent": "deletePercent",
  protected: "protected",
  storage: "the storage guard",
  loosening: "--fail-on-loosening",
  rule: "a rule",
};

function lackOf({ guard, approvals }: Objection): readonly string[] {
  if (guard !== "approvals") return [];
  if (!approvals) return ["Lacks approvals"];
  const { needed, given } = approvals;
  return [`Needs ${counted(needed, "approval")}, has ${given === 0 ? "none" : given}`];
}

/** Objections under a heading: those that block the plan, and those that were waived. */
export function objectionGroups(objections: readonly Objection[]) {
  const [blocking = [], waived = []] = [false, true].map((is) =>
    objections.filter((each) => (each.waived ?? false) === is),
  );
  const titled = [
    [blockingText({ objections }), blocking],
    ["Waived for this run", waived],
  ] as const;
  return titled.flatMap(([title, those]) => (those.length > 0 ? [[title, withoutRepeats(those)] as const] : []));
}

/** Objections to the same change in many projects, as one. */
function withoutRepeats(objections: readonly Objection[]): readonly Objection[] {
  return foldedAlike(objections, formOf).map(([first, ...others]) => {
    if (others.length === 0) return first;
    const addresses = others.flatMap((each) => each.addresses);
    const also = firstFew(addresses.map((address) => addressParts(address)[0]));
    return { ...first, message: `${first.message}; also in ${also}`, addresses: [...first.addresses, ...addresses] };
  });
}

function formOf({ guard, name, message, addresses: [first, ...others] }: Objection): string {
  const project = first === undefined || others.length > 0 ? undefined : addressParts(first)[0];
  return JSON.stringify([guard, name, commonForm(message, project)]);
}
