import { selectorOf } from "../manifest/selector.ts";
import type { Project } from "../model/types.ts";
import { selectorFor } from "./drafts.ts";
import type { ImportedProject } from "./imported.ts";
import type { Draft } from "./policy.ts";

/**
 * Selectors that match exactly these projects of the listing: a glob that excepts other imported projects, or the
 * projects themselves if a glob would match some that were not imported. A policy of a single project is more specific.
 */
export function coveringSelectors(
  covered: ReadonlySet<Project>,
  imported: readonly ImportedProject[],
  listing: readonly Project[],
): Pick<Draft, "projects" | "except" | "priority"> {
  const glob = commonGlob([...covered].map(({ name }) => name));
  const caught = listing.filter(({ name }) => isCaught(glob, name));
  const known = new Set(imported.map(({ project }) => project.name.toLowerCase()));
  const isComplete =
    caught.every(({ name }) => known.has(name.toLowerCase())) && [...covered].every(({ name }) => isCaught(glob, name));
  if (!isComplete) return { projects: [...covered].map(selectorFor), except: [], priority: -1 };
  const left = imported.map(({ project }) => project).filter((project) => !covered.has(project));
  return { projects: [glob], except: left.filter(({ name }) => isCaught(glob, name)).map(selectorFor) };
}

function isCaught(glob: string, name: string): boolean {
  const selector = selectorOf(glob);
  return selector.form === "glob" && selector.matches(name);
}

/** Everything below the deepest folder that all of them are in. */
function commonGlob(names: readonly string[]): string {
  const [first = "", ...others] = names.map((name) => name.split("/").slice(0, -1).join("/"));
  const folder = others.reduce(commonFolder, first);
  return folder === "" ? "**" : `${folder}/**`;
}

function commonFolder(a: string, b: string): string {
  const [left, right] = [a.split("/"), b.split("/")];
  const differs = left.findIndex((segment, index) => segment !== right[index]);
  return (differs < 0 ? left : left.slice(0, differs)).join("/");
}
