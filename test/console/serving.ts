import { onTestFinished } from "vitest";
import { type Access, chooseAccess } from "../../src/console/access.ts";
import { serveConsole } from "../../src/console/app.ts";
import { watchState } from "../../src/console/known-state.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import type { Change, Desired } from "../../src/model/types.ts";
import { folderState } from "../../src/state/folder-store.ts";
import { recordRun, touchedBy } from "../../src/state/run-summary.ts";
import type { ProjectObservation } from "../../src/state/snapshots/observed.ts";
import { recordObservation } from "../../src/state/snapshots/record.ts";
import type { WorkspaceState } from "../../src/state/state.ts";
import { look } from "../state/observations.ts";
import { folder } from "../support/folder.ts";
import { workspaceText } from "../support/stage.ts";

const origin = (policy: string) => {
  const file = `policies/${policy}.yaml`;
  return { place: () => ({ file, line: 7, column: 3 }), policy, file, until: "2027-03-01", reason: "OPS-123" };
};

/** What policies say of a project of a made-up fleet. */
function wanted(project: string, policy = "everyone"): readonly Desired[] {
  const wiki = { external_wiki_url: `https://wiki.example.com/${project}`, token: { secret: "env:WIKI" } };
  const irc = { recipients: "#general", server_port: 6659, push_events: true };
  const all = [
    { kind: "integration", key: "external-wiki", fields: wiki, presence: "present", origin: origin(policy) },
    { kind: "integration", key: "irc-gateway", fields: irc, presence: "present", origin: origin(policy) },
    { kind: "license", key: "MIT", fields: { approval_status: "denied" }, presence: "present", origin: origin(policy) },
  ] as const;
  return all.map((each) => ({ ...each, identity: `${each.kind}/${each.key}` }));
}

export function drifted(project: string, value = "#other"): Change {
  const [, irc] = wanted(project);
  if (!irc) throw new Error("nothing is wanted");
  const { kind, key, fields } = irc;
  const visible = { before: { recipients: value }, after: { recipients: "#general" } };
  const rest = {
    declared: fields,
    live: undefined,
    liveDigest: undefined,
    reason: "field differs",
    cause: "drift" as const,
    origin: irc.origin,
  };
  return { address: `${project}:${kind}/${key}`, project, kind, key, action: "update", ...visible, ...rest };
}

export function seen(project: string, changes: readonly Change[] = [], policy = "everyone"): ProjectObservation {
  const rest = { includes: () => true, unverified: {}, unmanaged: 0, problems: [] };
  const resources = wanted(project, policy);
  return { project: { name: project }, desired: () => resources, changes, ...rest };
}

/** `group-7/team-3/project-1234`: every tenth drifted, and every hundredth cannot be read. */
export function fleet(count: number): readonly ProjectObservation[] {
  return Array.from({ length: count }, (_, index) => {
    const project = `group-${index % 40}/team-${index % 7}/project-${index}`;
    if (index % 100 === 99) {
      const { changes: _, ...unread } = seen(project);
      return { ...unread, problems: ["403 Forbidden"] };
    }
    return seen(project, index % 10 === 1 ? [drifted(project)] : []);
  });
}

const day = 86_400_000;

/** A workspace whose state has seen these projects, with a run a day for so many days. */
export async function seenBy(projects: readonly ProjectObservation[], days = 1) {
  const files = folder({ "evenkeel.yaml": workspaceText({ url: "https://code.example.com" }) });
  const state = folderState(files.root);
  await keepDays(state, projects, days);
  return { ...files, state };
}

/** The same in any state. */
export async function keepDays(
  state: WorkspaceState,
  projects: readonly ProjectObservation[],
  days: number,
): Promise<void> {
  const began = Date.now() - days * day;
  for (let index = 0; index < days && projects.length > 0; index++) {
    const at = new Date(began + (index + 1) * day - 3_600_000).toISOString();
    const run = `${at.replace(/[-:]/g, "").slice(0, 15)}Z-${String(index).padStart(4, "0")}`;
    const counts =
      index < days - 1
        ? { "in sync": projects.length, pending: index % 3, drifted: index % 7, unreadable: 0 }
        : await recordObservation(state, look(run, projects, { run, at, cause: "drift", hasLedger: true }));
    const changes = projects.slice(0, 20).flatMap(({ changes = [] }) => changes);
    const head = { run, command: "drift", who: "ada", host: "build-7", started: at, ended: at, outcome: "drift" };
    await recordRun(state, {
      ...head,
      changes: changes.length,
      commit: "c0ffee",
      ...touchedBy(changes),
      reads: 7,
      fleet: counts,
    });
  }
}

/** A console over the state of a folder, until the test ends. */
export async function consoleOver(
  root: string,
  access: Access = chooseAccess("127.0.0.1", undefined, {}),
  open: () => Promise<WorkspaceState> = async () => folderState(root),
) {
  const state = await watchState(open);
  const errors: unknown[] = [];
  const rest = {
    env: {},
    folder: root,
    workspace: "acme",
    catalogue: catalogueOf(),
    onError: (error: unknown) => errors.push(error),
  };
  const console = await serveConsole("127.0.0.1", 0, { state, access, ...rest });
  onTestFinished(async () => {
    await console[Symbol.asyncDispose]();
    await state[Symbol.asyncDispose]();
  });
  const get = (path: string, init?: RequestInit) => fetch(console.url + path, { redirect: "manual", ...init });
  return { ...console, errors, get };
}
