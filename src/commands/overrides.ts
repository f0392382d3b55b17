import { exit, exitCode, UserError } from "../base/exit.ts";
import { didYouMean } from "../base/nearest.ts";
import { compareTexts } from "../base/text-format.ts";
import { describeServerUrl } from "../client/server-url.ts";
import { rulingFor } from "../manifest/layers.ts";
import { isWide, overridesOf } from "../manifest/overrides.ts";
import type { Policy } from "../manifest/policies.ts";
import { knownProjects } from "../manifest/projects.ts";
import { isSelected } from "../manifest/selection.ts";
import { hasErrors } from "../manifest/validate.ts";
import { projectNamed, projectTest } from "../model/identity.ts";
import { bySeverity } from "../model/problem-line.ts";
import type { Project } from "../model/types.ts";
import { type OverriddenEntry, overriddenEntry, overridesText } from "../report/overrides.ts";
import { type Checked, validated } from "../run/context.ts";
import { loadWorkspace } from "../workspace/load.ts";
import type { Run } from "./command.ts";
import { type Fleet, keptFleet, projectFile } from "./known-fleet.ts";
import { openReports, printProblems } from "./outputs.ts";
import { requestOf } from "./run-request.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";

export const run: Run<Options<"overrides">> = async (terminal, options, [name]) => {
  const report = openReports(terminal, options.report);
  const opened = await openOffline(terminal, options);
  if (!opened) return exitCode({ problem: true });
  const { fleet, projects: all } = opened;
  const { policies } = opened.context;
  const policy = name === undefined ? undefined : findPolicy(name, policies);
  const projects = options.project === undefined ? all : [findProject(options.project, all, policies)];
  const rows = overriddenEntries(policies, projects, (each) => (policy ? each === policy : isWide(each)));
  report({
    text: () => overridesText(rows, fleet?.listing ?? null, terminal.palette),
    json: () => JSON.stringify(rows, null, 2),
  });
  return exitCode({});
};

interface OfflineFleet {
  readonly context: Checked;
  readonly fleet: Fleet | undefined;
  readonly projects: readonly Project[];
}

export async function openOffline(
  terminal: Terminal,
  options: Options<"overrides" | "prune">,
): Promise<OfflineFleet | undefined> {
  const request = requestOf(terminal, options);
  const context = validated(loadWorkspace(request.folder, request.env), request);
  const fleet = await readFleet(terminal, context, options.projects);
  const problems = [...context.problems, ...(fleet?.problems ?? [])];
  printProblems(terminal, bySeverity(problems));
  if (hasErrors(problems)) return undefined;
  return { context, fleet, projects: knownProjects(context.policies, fleet?.projects) };
}

function readFleet(
  terminal: Terminal,
  { loaded: { root, workspace } }: Checked,
  file: string | undefined,
): Promise<Fleet | undefined> {
  if (file !== undefined) return Promise.resolve(projectFile(terminal, file));
  return keptFleet(terminal, { root, name: workspace.name }, [describeServerUrl(terminal.env, workspace.server)]);
}

export function findPolicy(name: string, policies: readonly Policy[]): Policy {
  const found = policies.find((policy) => policy.name === name);
  if (found) return found;
  const names = policies.map((policy) => policy.name);
  throw new UserError(`there is no policy ${JSON.stringify(name)}${didYouMean(name, names)}`, exit.usage);
}

function findProject(name: string, known: readonly Project[], policies: readonly Policy[]): Project {
  const project = known.find(projectTest(name)) ?? projectNamed(name);
  if (isSelected(policies, project)) return project;
  const names = known.map((each) => each.name);
  throw new UserError(`no policy selects ${name}${didYouMean(name, names)}`);
}

function overriddenEntries(
  policies: readonly Policy[],
  projects: readonly Project[],
  isAsked: (policy: Policy) => boolean,
): readonly OverriddenEntry[] {
  return projects
    .flatMap((project) =>
      overridesOf(rulingFor(policies, project), project)
        .filter(({ layer }) => isAsked(layer.policy))
        .map((override) => overriddenEntry(project.name, override)),
    )
    .sort(
      (a, b) =>
        compareTexts(a.policy, b.policy) || compareTexts(a.entry, b.entry) || compareTexts(a.project, b.project),
    );
}
