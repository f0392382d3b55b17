import { resolve } from "node:path";
import { exit, exitCode, UserError } from "../base/exit.ts";
import { groupedAs } from "../base/grouped.ts";
import { isObject } from "../base/json.ts";
import { didYouMean } from "../base/nearest.ts";
import { printable } from "../base/printable.ts";
import { byName } from "../base/text-format.ts";
import { desiredOf } from "../manifest/layers.ts";
import { knownProjects, selectsByGlob } from "../manifest/projects.ts";
import { isSelected } from "../manifest/selection.ts";
import { hasErrors } from "../manifest/validate.ts";
import { projectFinder, projectNamed } from "../model/identity.ts";
import { bySeverity } from "../model/problem-line.ts";
import { idFault } from "../model/project-id.ts";
import type { Desired, DesiredProject, Problem, Project } from "../model/types.ts";
import { type Checked, validated } from "../reconcile/context.ts";
import {
  type Approvers,
  type LicensePolicyFile,
  licensePolicyFile,
  newestForm,
  type ProjectLicenses,
} from "../report/license-policies.ts";
import { licensePolicyJson, licensePolicyText } from "../report/license-policy-text.ts";
import { openState } from "../state/open-state.ts";
import { keptProjects } from "../state/project-list.ts";
import { loadWorkspace } from "../workspace/load.ts";
import { readProjectFile } from "../workspace/project-file.ts";
import type { Run } from "./command.ts";
import { openReports } from "./outputs.ts";
import { printProblems } from "./print-problems.ts";
import { requestOf } from "./run-request.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { checkedRelease } from "./workspace-options.ts";

type Choice = Options<"export license-policy">;

/** `evenkeel export license-policy [PROJECT...]`: files to read and commit; nothing is sent. */
export const run: Run<Choice> = async (terminal, options, names) => {
  const report = openReports(terminal, options.report);
  const approvers = approversOf(options.approvers ?? ["role:maintainer"]);
  const approvals = approvalsOf(options.approvals);
  const release = options.release === undefined ? undefined : checkedRelease(options.release);
  const request = requestOf(terminal, options);
  const context = withoutRemoval(validated(loadWorkspace(request.folder, terminal.env), request));
  const declared = hasErrors(context.problems) ? undefined : await declaredLicenses(terminal, context, options, names);
  printProblems(terminal, bySeverity([...context.problems, ...(declared?.problems ?? [])]));
  if (!declared || hasErrors(declared.problems)) return exitCode({ problem: true });
  const { allowList = true } = options;
  const choice = { release: release ?? targetRelease(terminal, context), approvers, approvals, allowList };
  const file = licensePolicyFile(declared.licenses, choice);
  for (const remark of remarksOf(file)) terminal.note(printable(`warning: ${remark}`));
  report({ text: () => licensePolicyText(file), json: () => licensePolicyJson(file) });
  return exitCode({});
};

/** Ignores the problem that the release has no managed licenses: that is why the file is needed. */
function withoutRemoval(context: Checked): Checked {
  const isRemoval = ({ rule, path = "" }: Problem) => rule === "release" && /^(licenses$|exclusive\b)/.test(path);
  return { ...context, problems: context.problems.filter((problem) => !isRemoval(problem)) };
}

/** The release of the workspace, or else the first one that reads the current format. */
function targetRelease({ note }: Terminal, { loaded: { settings, workspace } }: Checked): string {
  const server = isObject(settings?.value) ? settings.value.server : undefined;
  if (isObject(server) && server.release !== undefined) return workspace.server.release;
  note(`warning: the workspace states no server.release; this is as release ${newestForm} and later read it`);
  return newestForm;
}

function remarksOf({ policies, remarks }: LicensePolicyFile): readonly string[] {
  return [...remarks, ...policies.flatMap(({ policy, remarks: own }) => own.map((each) => `${policy.name}: ${each}`))];
}

const kindsOfApprovers: ReadonlyMap<string, string> = new Map([
  ["role", "role_approvers"],
  ["user", "user_approvers"],
  ["group", "group_approvers"],
]);
const roles = ["developer", "maintainer", "owner"];

/** `role:maintainer`, `user:jane`, `group:legal/oss`; users and groups by name or by ID. */
function approversOf(asked: readonly string[]): Approvers {
  const lists = groupedAs(
    asked.map(approverOf),
    ({ key }) => key,
    ({ value }) => value,
  );
  return Object.fromEntries([...lists].map(([key, values]) => [key, [...new Set(values)]]));
}

function approverOf(asked: string): { readonly key: string; readonly value: string | number } {
  const [, kind = "", value = ""] = /^(\w+):(\S+)$/.exec(asked) ?? [];
  const key = kindsOfApprovers.get(kind);
  if (!key || (kind === "role" && !roles.includes(value))) throw new UserError(notApprovers(asked, value), exit.usage);
  const isId = kind !== "role" && /^\d{1,15}$/.test(value);
  return isId ? { key: `${key}_ids`, value: Number(value) } : { key, value };
}

function approvalsOf(count: number): number {
  if (count >= 1 && count <= 100) return count;
  throw new UserError(`--approvals takes a number from 1 to 100, not ${count}`, exit.usage);
}

function notApprovers(asked: string, name: string): string {
  const known = [...roles.map((role) => `role:${role}`), "user:NAME", "group:PATH"];
  return `--approvers takes ${known.join(", ")}, not ${JSON.stringify(asked.slice(0, 100))}${didYouMean(name, roles)}`;
}

interface DeclaredLicenses {
  readonly licenses: readonly ProjectLicenses[];
  readonly problems: readonly Problem[];
}

/** The licenses of each named project, or of all that are known offline. */
async function declaredLicenses(
  terminal: Terminal,
  context: Checked,
  options: Choice,
  names: readonly string[],
): Promise<DeclaredLicenses> {
  const { policies, expired } = context;
  const fleet = await fleetOf(terminal, context, options);
  const known = knownProjects(policies, fleet.projects);
  const chosen = names.length > 0 ? names.map((name) => projectAmong(name, known)) : known.toSorted(byName);
  const unselected = chosen.find((project) => !isSelected(policies, project));
  if (names.length > 0 && unselected)
    throw new UserError(
      `no policy selects ${unselected.name}${didYouMean(
        unselected.name,
        known.map(({ name }) => name),
      )}`,
    );
  const merged = chosen.map((project) => desiredOf(policies, project, expired));
  const licenses = merged.flatMap(({ desired: { project, resources } }) => licensesOf(project, resources) ?? []);
  if (licenses.length === 0) throw new UserError(nothing(context, fleet, names));
  const implicit = [
    ...(names.length > 0 ? [] : unlisted(context, fleet)),
    ...endings(merged.map(({ desired }) => desired)),
  ];
  return { licenses, problems: [...fleet.problems, ...implicit, ...merged.flatMap(({ problems }) => problems)] };
}

function unlisted({ policies }: Checked, { projects }: Fleet): readonly Problem[] {
  const licensing = policies.filter(({ entries }) => entries.some(({ desired }) => desired.kind === "license"));
  if (projects.length > 0 || !selectsByGlob(licensing)) return [];
  const message =
    "only projects that manifests name are written: policies also select projects by globs, and no plan has listed the projects yet; give --projects FILE";
  return [{ severity: "warning", rule: "projects-unknown", message }];
}

/** The format has no expiry. */
function endings(all: readonly DesiredProject[]): readonly Problem[] {
  const ends = all.flatMap(({ resources }) =>
    resources.flatMap(({ kind, origin: { until } }) => (kind === "license" && until !== undefined ? [until] : [])),
  );
  return [...new Set(ends)].sort().map((until) => {
    const message = `licenses of policies that expire on ${until} are written without an end: the format has none; export again then`;
    return { severity: "warning", rule: "expires", message };
  });
}

function licensesOf(project: Project, resources: readonly Desired[]): ProjectLicenses | undefined {
  const own = resources.filter(({ kind, presence }) => kind === "license" && presence === "present");
  const licenses = new Map(own.map(({ key, fields }) => [key, String(Object.values(fields)[0])]));
  return licenses.size > 0 ? { project, licenses } : undefined;
}

function projectAmong(name: string, known: readonly Project[]): Project {
  const fault = idFault(name);
  if (fault) throw new UserError(`expected ${fault}, got ${name}`, exit.usage);
  return projectFinder(known)(name) ?? projectNamed(name);
}

function nothing({ policies }: Checked, { projects }: Fleet, names: readonly string[]): string {
  if (names.length > 0) return `no policy states licenses for ${names.join(", ")}`;
  const known = projects.length > 0 || !selectsByGlob(policies);
  return known
    ? "no policy states licenses"
    : "policies select projects by globs, and no plan has listed the projects yet: name projects, or give --projects FILE";
}

interface Fleet {
  readonly projects: readonly Project[];
  readonly problems: readonly Problem[];
}

/** The projects of a file with the IDs of the last plan, or else all projects of the last plan. */
async function fleetOf({ cwd, env }: Terminal, { loaded }: Checked, options: Choice): Promise<Fleet> {
  await using state = await openState({ root: loaded.root, name: loaded.workspace.name, env });
  const { projects: kept = [] } = (await keptProjects(state.notes)) ?? {};
  if (options.projects === undefined) return { projects: kept, problems: [] };
  const { projects, problems } = readProjectFile(resolve(cwd, options.projects), options.projects);
  const byPath = new Map(kept.map((each) => [each.name.toLowerCase(), each]));
  return { projects: projects.map((each) => byPath.get(each.name.toLowerCase()) ?? each), problems };
}
