import type { Policy } from "../manifest/policies.ts";
import type { PlanRule } from "../manifest/rules.ts";
import type { SettingChange } from "./setting-changes.ts";

/** Rules that are others, or that only one revision has: a rule that holds for less lets more through. */
export function changedRules(before: readonly PlanRule[], after: readonly PlanRule[]): readonly SettingChange[] {
  const [was, is] = [byName(before), byName(after)];
  const names = [...new Set([...was.keys(), ...is.keys()])];
  return names.flatMap((name) => aspects.flatMap((aspect) => changeOf(aspect, was.get(name), is.get(name))));
}

/** Last days that are others, of policies that both revisions have. */
export function changedLastDays(before: readonly Policy[], after: readonly Policy[]): readonly SettingChange[] {
  const was = byName(before);
  return after.flatMap((policy) => {
    const earlier = was.get(policy.name);
    if (!earlier || earlier.until === policy.until) return [];
    const place = policy.document.place([policy.until === undefined ? "name" : "until"], "key");
    const alarm = isLater(earlier.until, policy.until) ? { alarm: "the policy counts for longer" } : {};
    return [{ setting: `policy ${policy.name} until`, before: earlier.until, after: policy.until, ...alarm, place }];
  });
}

function byName<Each extends { readonly name: string }>(named: readonly Each[]): ReadonlyMap<string, Each> {
  return new Map(named.map((each) => [each.name, each]));
}

/** One thing that a rule says. */
interface Aspect {
  readonly key: "severity" | "when" | "on" | "except" | "until" | "message";
  /** After the rule's name; the severity stands for the rule itself. */
  readonly title: string;
  readonly alarm: (was: PlanRule, is: PlanRule | undefined) => string | undefined;
}

const mayObjectToLess = () => "the rule may object to less";

const aspects: readonly Aspect[] = [
  {
    key: "severity",
    title: "",
    alarm: (_, is) => (is === undefined ? "the rule is gone" : is.severity === "warning" ? "it only warns" : undefined),
  },
  { key: "when", title: " when", alarm: mayObjectToLess },
  { key: "on", title: " on", alarm: mayObjectToLess },
  {
    key: "except",
    title: " except",
    alarm: (was, is) => (is?.except.some((glob) => !was.except.includes(glob)) ? "the rule holds for less" : undefined),
  },
  {
    key: "until",
    title: " until",
    alarm: (was, is) => (isLater(was.until, is?.until) ? "its exceptions hold for longer" : undefined),
  },
  { key: "message", title: " message", alarm: () => undefined },
];

function changeOf(
  { key, title, alarm }: Aspect,
  was: PlanRule | undefined,
  is: PlanRule | undefined,
): readonly SettingChange[] {
  const rule = is ?? was;
  if (!rule || String(was?.[key]) === String(is?.[key]) || (key !== "severity" && !(was && is))) return [];
  const why = was && alarm(was, is);
  const place = rule.document.place([rule[key] === undefined || title === "" ? "name" : key], "key");
  const change = { setting: `rule ${rule.name}${title}`, before: was?.[key], after: is?.[key], place };
  return [{ ...change, ...(why !== undefined && { alarm: why }) }];
}

/** No last day is the latest. */
function isLater(was: string | undefined, is: string | undefined): boolean {
  return was !== undefined && (is === undefined || is > was);
}
