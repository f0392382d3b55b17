import { counted, thousands } from "../base/text-format.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { sectionNameOf } from "../model/kinds.ts";
import { kindIn } from "../model/owner.ts";
import { detailLines, loosening } from "../plan/highlights.ts";
import { subjectOf } from "../plan/planned-groups.ts";
import type { RevisionChange } from "./compare-projects.ts";

export type EffectRule = "loosened" | "lost-notifications" | "moved-notifications" | "disabled" | "exclusive";

/** What changes of several projects come to, in one sentence with the count. */
export interface Effect {
  readonly rule: EffectRule;
  readonly message: string;
}

interface Topic {
  readonly rule: EffectRule;
  readonly holds: (change: RevisionChange) => boolean;
  readonly says: (count: number) => string;
  readonly word: (change: RevisionChange, catalogue: Catalogue) => string;
}

const topics: readonly Topic[] = [
  {
    rule: "loosened",
    holds: ({ policy_effect }) => policy_effect === "loosened",
    says: (count) => `${counted(count, "change")} ${count === 1 ? "loosens" : "loosen"} the policy`,
    word: (change, catalogue) => loosening({ ...change, kind: kindIn(change) }, catalogue),
  },
  {
    rule: "lost-notifications",
    holds: ({ lost_notifications }) => lost_notifications !== undefined,
    says: (count) => `${counted(count, "change")} ${count === 1 ? "stops" : "stop"} notifications`,
    word: ({ lost_notifications = [] }) => lost_notifications.join(", "),
  },
  {
    rule: "moved-notifications",
    holds: ({ moved_notifications }) => moved_notifications !== undefined,
    says: (count) => `${counted(count, "change")} ${count === 1 ? "moves" : "move"} notifications`,
    word: ({ moved_notifications = [] }) => moved_notifications.join(", "),
  },
  {
    rule: "disabled",
    holds: ({ action }) => action === "disable",
    says: (count) => `${thousands(count)} to disable`,
    word: subjectOf,
  },
  {
    rule: "exclusive",
    holds: ({ action, key }) => action === "declare" && key === "*",
    says: () => "whatever is live and not listed is removed",
    word: (change, catalogue) => sectionNameOf(catalogue, kindIn(change)),
  },
];

/** How many changes loosen a policy, stop notifications and turn things off; the gravest first. */
export function revisionEffects(changes: readonly RevisionChange[], catalogue: Catalogue): readonly Effect[] {
  return topics.flatMap(({ rule, holds, says, word }) => {
    const those = changes.filter(holds);
    if (those.length === 0) return [];
    const details = detailLines(those, (change) => word(change, catalogue));
    return [{ rule, message: `${says(those.length)}: ${details.join("; ")}` }];
  });
}
