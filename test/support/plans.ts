import { catalogueOf } from "../../src/model/catalogue.ts";
import type { Action, Fields, Kind, Outcome } from "../../src/model/types.ts";
import {
  actionOf,
  countsOf,
  formatVersion,
  listedActions,
  type Plan,
  type PlannedChange,
  planDigest,
  writesOf,
} from "../../src/plan/plan.ts";
import type { Report } from "../../src/report/report.ts";

const digest = `sha256:${"5a".repeat(32)}`;

/** A change for reports to show; what is not said stands for itself. */
export function planned(
  project: string,
  key: string,
  action: Action,
  more: Partial<PlannedChange> = {},
): PlannedChange {
  const kind: Kind = more.kind ?? "integration";
  return {
    address: `${project}:${kind}/${key}`,
    project,
    kind,
    key,
    change: fieldsOf(action, { url: "https://old.test" }, { url: "https://new.test" }),
    live: action === "create" ? null : { updated_at: "2026-02-03T04:05:06.000Z", digest },
    action_reason: "declared parameters differ",
    source: { file: "policies/base.yaml", line: 12, column: 5 },
    call: { method: action === "delete" ? "DELETE" : "PUT", path: `projects/7/integrations/${key}` },
    ...more,
  };
}

/** The fields of a change as the action has them: a create has no before, a delete no after. */
export function fieldsOf(action: Action, before: Fields, after: Fields): PlannedChange["change"] {
  return {
    actions: listedActions(action),
    before: action === "create" ? null : before,
    after: action === "delete" ? null : after,
    after_sensitive: {},
  };
}

export interface Parts
  extends Partial<Pick<Plan, "problems" | "warnings" | "objections" | "unverified" | "scope" | "manifests">> {
  readonly changes?: readonly PlannedChange[];
  readonly url?: string;
}

/** A plan of these parts, its counts and digest as they have to be. */
export function planWith({ changes = [], url = "https://code.example.com", ...parts }: Parts): Plan {
  const rest: Omit<Plan, "digest" | "created_at"> = {
    format_version: formatVersion,
    evenkeel_version: "0.1.0",
    server: { url },
    manifests: { digest, commit: null },
    summary: {
      projects: 7,
      changed_projects: new Set(changes.map(({ project }) => project)).size,
      live: 40,
      ...countsOf(changes.map(actionOf)),
      tightened: changes.filter(({ policy_effect }) => policy_effect === "tightened").length,
      loosened: changes.filter(({ policy_effect }) => policy_effect === "loosened").length,
      lost_notifications: changes.filter(({ lost_notifications }) => lost_notifications).length,
      unmanaged: 4,
      unverified: parts.unverified?.length ?? 2,
      reads: 9,
      writes: writesOf(changes),
      ...outcomeCounts(changes),
    },
    resource_changes: changes,
    unverified: [],
    objections: [],
    problems: [],
    warnings: [],
    ...parts,
  };
  return { ...rest, digest: planDigest(rest), created_at: "2026-11-21T07:23:14.000Z" };
}

function outcomeCounts(changes: readonly PlannedChange[]): Pick<Plan["summary"], "outcomes"> {
  if (!changes.some(({ outcome }) => outcome)) return {};
  const count = (status: Outcome["status"]) => changes.filter(({ outcome }) => outcome?.status === status).length;
  const [applied, failed, skipped] = [count("applied"), count("failed"), count("skipped")];
  return { outcomes: { applied, failed, skipped, stale: count("stale"), unknown: count("unknown") } };
}

/** A run that ended, of which the test says what matters to it. */
export function reportOf(plan: Plan, more: Partial<Report> = {}): Report {
  return {
    plan,
    catalogue: catalogueOf(),
    command: "plan",
    seconds: 1.25,
    finishedAt: new Date("2026-11-21T07:23:15.000Z"),
    exitCode: 0,
    compared: true,
    folder: "",
    ...more,
  };
}

/** Three thousand changes of all kinds and actions in two thousand projects, always the same. */
export function largePlan(): Plan {
  const actions: readonly Action[] = ["create", "update", "update", "update", "disable"];
  const changes = Array.from({ length: 3_000 }, (_, i) => {
    const project = `group-${i % 40}/project-${i % 2000}`;
    if (i % 50 === 0) return planned(project, `License ${i}`, "delete", { kind: "license" });
    const action = actions[i % actions.length] ?? "update";
    return planned(project, `integration-${i % 37}`, action, {
      change: fieldsOf(action, { port: i, active: false }, { port: i + 1, active: true }),
    });
  });
  return planWith({ changes });
}
