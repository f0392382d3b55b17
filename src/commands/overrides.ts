import { rmSync } from "node:fs";
import { join } from "node:path";
import { writeTexts } from "../author/accept/manifests.ts";
import { changesByPruning, pruneTexts } from "../author/prune.ts";
import { type ExitCode, exit, exitCode, UserError } from "../base/exit.ts";
import { didYouMean } from "../base/nearest.ts";
import { compareTexts } from "../base/text-format.ts";
import { rulingFor } from "../manifest/layers.ts";
import { overridesOf } from "../manifest/overrides.ts";
import type { Policy } from "../manifest/policies.ts";
import { isWide, knownProjects } from "../manifest/projects.ts";
import { prunableEntries, widePolicies } from "../manifest/prune.ts";
import { isSelected } from "../manifest/selection.ts";
import { hasErrors } from "../manifest/validate.ts";
import { projectNamed, projectTest } from "../model/identity.ts";
import { bySeverity } from "../model/problem-line.ts";
import type { Project } from "../model/types.ts";
import {
  type OverriddenEntry,
  overriddenEntry,
  overridesText,
  type PruneReport,
  prunedCounts,
  pruneJson,
  pruneText,
} from "../report/policy-texts.ts";
import { validateWorkspace } from "../run/context.ts";
import { loadWorkspace } from "../workspace/load.ts";
import type { Options } from "./command.ts";
import { knownFleet } from "./known-fleet.ts";
import { printProblems, save, showing } from "./outputs.ts";
import { requestOf } from "./run-request.ts";
import type { Terminal } from "./terminal.ts";

export const run = showing<Options<"overrides">>(async (terminal, options, [name]) => {
  const opened = await openOffline(terminal, options);
  if (!opened) return exit.problem;
  const { fleet, projects: all, context } = opened;
  const { policies } = context;
  const policy = name === undefined ? undefined : findPolicy(name, policies);
  const projects = options.project === undefined ? all : [findProject(options.project, all, policies)];
  const rows = overriddenEntries(policies, projects, (each) => (policy ? each === policy : isWide(each)));
  return { text: (palette) => overridesText(rows, fleet?.listing ?? null, palette), json: () => rows };
});

async function openOffline(terminal: Terminal, options: Options<"overrides" | "prune">) {
  const request = requestOf(terminal, options);
  const context = validateWorkspace(loadWorkspace(request.folder, request.env), request);
  const { root, workspace } = context.loaded;
  const fleet = await knownFleet(terminal, options.projects, root, workspace);
  const problems = [...context.problems, ...(fleet?.problems ?? [])];
  printProblems(terminal, bySeverity(problems));
  if (hasErrors(problems)) return undefined;
  return { context, fleet, projects: knownProjects(context.policies, fleet?.projects) };
}

function findPolicy(name: string, policies: readonly Policy[]): Policy {
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

export const prune = showing<Options<"prune">>(async (terminal, options, names) => {
  const yields = options.yield === true;
  if (yields && names.length !== 1) throw new UserError("--yield takes one policy, to which others yield", exit.usage);
  const opened = await openOffline(terminal, options);
  if (!opened) return exit.problem;
  const { context, projects, fleet } = opened;
  const { policies } = context;
  const wide = names.length > 0 ? names.map((name) => findPolicy(name, policies)) : widePolicies(policies);
  const entries = prunableEntries({ policies, projects, wide, yields });
  const pruned = pruneTexts(context, entries);
  const changes = changesByPruning(context, pruned, projects);
  const found: PruneReport = {
    ...{ entries: pruned.removed, left: pruned.left, changes, policies: pruned.emptied.length },
    unseen: yields && !fleet && pruned.removed.some(({ policy }) => isWide(policy)),
    files: [...pruned.texts.values()].filter((text) => text === "").length,
  };
  const { catalogue } = context.loaded.workspace;
  const write = () => writeTexts(context, (root, texts) => writeFiles(terminal, root, texts), pruned);
  return {
    text: (palette) => (entries.length > 0 ? pruneText(found, catalogue, palette) : ""),
    json: () => pruneJson(found),
    code: () => finishPruning(terminal, options, found, write),
  };
});

async function finishPruning(
  terminal: Terminal,
  options: Options<"prune">,
  found: PruneReport,
  write: () => void,
): Promise<ExitCode> {
  const { entries, left, changes, unseen } = found;
  if (entries.length + left.length === 0) {
    terminal.note("Nothing to prune.");
    return exit.done;
  }
  if (options.check) {
    terminal.note(`Could go: ${prunedCounts({ ...found, entries: [...entries, ...left] })}.`);
    return exit.problem;
  }
  if (!options.yield && changes.length > 0)
    throw new UserError(`${changes[0]?.address} would change; nothing was written`);
  const asks = options.yield && !options.yes && (changes.length > 0 || unseen);
  if (asks && !(await terminal.confirm(`Remove ${prunedCounts(found)}? Only yes removes them: `))) {
    terminal.note("Nothing was written.");
    return exit.problem;
  }
  write();
  terminal.note(`Removed ${prunedCounts(found)}.`);
  return exitCode({ problem: left.length > 0 });
}

function writeFiles(terminal: Terminal, root: string, texts: ReadonlyMap<string, string>): void {
  for (const [name, text] of texts) {
    const path = join(root, name);
    if (text.trim() === "") rmSync(path);
    else save(terminal, path, text);
  }
}
