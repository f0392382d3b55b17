import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { describeServerUrl } from "../client/server-url.ts";
import type { Workspace } from "../manifest/workspace.ts";
import type { Problem, Project } from "../model/types.ts";
import type { Listing } from "../report/revision.ts";
import { keptProjects, type ProjectList } from "../state/notes.ts";
import { openState, type StateOf } from "../state/open-state.ts";
import type { Terminal } from "./terminal.ts";

export interface KnownFleet {
  readonly listing: Listing;
  readonly projects: readonly Project[];
  readonly problems: readonly Problem[];
}

/**
 * The projects of a file, else of the last plan for one of these workspaces' servers; undefined if that is unavailable.
 * @throws UserError if the file cannot be read.
 */
export async function knownFleet(
  terminal: Terminal,
  file: string | undefined,
  root: string,
  ...workspaces: readonly [Workspace, ...Workspace[]]
): Promise<KnownFleet | undefined> {
  if (file !== undefined) return readFleet(terminal, file);
  const { env, note } = terminal;
  const servers = workspaces.map(({ server }) => describeServerUrl(env, server));
  const { name } = workspaces[0];
  const stored = await readKept({ root, name, env }).catch((error) => {
    if (!(error instanceof UserError)) throw error;
    note(printable(`note: the saved project list is not used: ${error.message}`));
  });
  if (!stored) return undefined;
  const { server, at: listed, projects } = stored;
  const message = `the project list comes from a plan of ${server}, another server`;
  const stray: Problem = { severity: "warning", rule: "project-list", message };
  const listing = { source: "plan", at: listed.toISOString(), projects: projects.length } as const;
  return { listing, projects, problems: servers.includes(server) ? [] : [stray] };
}

async function readKept(of: StateOf): Promise<ProjectList | undefined> {
  await using state = await openState(of);
  return keptProjects(state);
}

/** One path per line, groups with a slash at the end. Empty lines and lines that start with `#` are ignored. */
function readFleet({ cwd }: Terminal, name: string): KnownFleet {
  const projects = new Map<string, Project>();
  const problems: Problem[] = [];
  for (const [index, line] of readText(resolve(cwd, name), name).split(/\r?\n/).entries()) {
    const text = line.trim();
    if (text === "" || text.startsWith("#")) continue;
    const fault = checkLine(text);
    if (!fault) projects.set(text.toLowerCase(), { name: text, path: text });
    const place = { file: name, line: index + 1, column: line.indexOf(text) + 1 };
    const message = `expected a project's full path, got ${fault}`;
    if (fault) problems.push({ severity: "error", rule: "project-list", message, place });
  }
  return { listing: { source: "file", projects: projects.size }, projects: [...projects.values()], problems };
}

function readText(path: string, name: string): string {
  try {
    return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    throw new UserError(`cannot read the projects of ${name}: ${describeSystemError(error)}`);
  }
}

function checkLine(text: string): string | undefined {
  if (/^\d+$/.test(text)) return "an ID";
  if (/[*?[\]{}]/.test(text)) return "a wildcard";
  if (/\s/.test(text)) return "several words";
  return /^\/|\/\//.test(text) ? "a path that begins with a slash, or has an empty part" : undefined;
}
