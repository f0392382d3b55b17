import type { Action, Fields, Kind, Outcome } from "../../src/model/types.ts";
import { formatVersion, type Plan, type PlannedChange } from "../../src/plan/plan.ts";

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
    actions: [action],
    before: action === "create" ? null : before,
    after: action === "delete" ? null : after,
    after_sensitive: {},
  };
}

/** A plan of these changes, in the order given. */
export function planOfChanges(changes: readonly PlannedChange[], more: Partial<Plan> = {}): Plan {
  const count = (action: Action) => changes.filter(({ change }) => change.actions[0] === action).length;
  return {
    format_version: formatVersion,
    evenkeel_version: "0.1.0",
    created_at: "2026-03-01T12:00:00.000Z",
    digest,
    server: { url: "https://code.example.test" },
    manifests: { digest, commit: "8c5384e1f7a90d2b" },
    summary: {
      projects: 120,
      changed_projects: new Set(changes.map(({ project }) => project)).size,
      live: 40,
      create: count("create"),
      update: count("update"),
      disable: count("disable"),
      delete: count("delete"),
      unmanaged: 4,
      unverified: more.unverified?.length ?? 0,
      reads: 241,
      writes: changes.length,
      ...outcomeCounts(changes),
    },
    resource_changes: changes,
    unverified: [],
    objections: [],
    problems: [],
    warnings: [],
    ...more,
  };
}

function outcomeCounts(changes: readonly PlannedChange[]): Pick<Plan["summary"], "outcomes"> {
  if (!changes.some(({ outcome }) => outcome)) return {};
  const count = (status: Outcome["status"]) => changes.filter(({ outcome }) => outcome?.status === status).length;
  const [applied, failed, skipped] = [count("applied"), count("failed"), count("skipped")];
  return { outcomes: { applied, failed, skipped, stale: count("stale"), unknown: count("unknown") } };
}

/** Ten thousand changes of all kinds and actions in two thousand projects, always the same. */
export function largePlan(): Plan {
  const actions: readonly Action[] = ["create", "update", "update", "update", "disable"];
  const changes = Array.from({ length: 10_000 }, (_, i) => {
    const project = `group-${i % 40}/project-${i % 2000}`;
    if (i % 50 === 0) return planned(project, `License ${i}`, "delete", { kind: "license" });
    const action = actions[i % actions.length] ?? "update";
    return planned(project, `integration-${i % 37}`, action, {
      change: fieldsOf(action, { port: i, active: false }, { port: i + 1, active: true }),
    });
  });
  return planOfChanges(changes);
}
