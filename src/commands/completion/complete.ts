import { exit } from "../../base/exit.ts";
import { printable } from "../../base/printable.ts";
import { desiredOf } from "../../manifest/layers.ts";
import { readMigrations } from "../../manifest/migrations.ts";
import { projectsOf } from "../../manifest/projects.ts";
import { validate } from "../../manifest/validate.ts";
import { addressOf, storageAddress } from "../../model/address.ts";
import { dialects } from "../../model/dialects.ts";
import { storageKey } from "../../model/repository-kinds.ts";
import { catalogueAround, type Loaded, loadWorkspace } from "../../workspace/load.ts";
import type { Run } from "../command.ts";
import { commands } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { folderOf } from "../workspace-options.ts";
import { type Candidate, candidatesFor, type Named } from "./candidates.ts";

/** `evenkeel __complete -- WORD...`: what a shell offers in place of the last word, a line each; offline. */
export const run: Run<object> = (terminal, _, words) => {
  const named = namedIn(terminal, valueIn(words, "-C"), valueIn(words, "--dialect"));
  const legible = candidatesFor(words, commands, named).filter(({ word }) => printable(word) === word);
  terminal.emit(legible.map(lineOf).join("\n"));
  return exit.done;
};

/** Shells that show meanings find them behind a tab. */
function lineOf({ word, meaning }: Candidate): string {
  const line = meaning ? `${word}\t${meaning}` : word;
  return line.replaceAll(/[\r\n]+/g, " ");
}

function valueIn(words: readonly string[], option: string): string | undefined {
  return words[words.indexOf(option) + 1 || words.length];
}

const nothing: Known = { projects: [], addresses: [], storages: [] };

interface Known {
  readonly projects: readonly string[];
  readonly addresses: readonly string[];
  readonly storages: readonly string[];
}

/** A workspace that cannot be read names nothing; one with mistakes, what can be read of it. */
function namedIn(terminal: Terminal, C: string | undefined, dialect = ""): Named {
  const folder = folderOf(terminal, C === undefined ? {} : { C });
  let read: Known | undefined;
  const known = () => {
    read ??= readKnown(folder);
    return read;
  };
  return {
    projects: () => known().projects,
    addresses: () => known().addresses,
    storages: () => known().storages,
    catalogue: () => catalogueAround(folder, dialects.has(dialect) ? dialect : undefined),
  };
}

function readKnown(folder: string): Known {
  try {
    return knownIn(loadWorkspace(folder));
  } catch {
    return nothing;
  }
}

function knownIn(loaded: Loaded): Known {
  const { policies } = validate(loaded);
  const { migrations } = readMigrations(loaded);
  const { projects } = projectsOf(policies, undefined);
  const resources = projects.flatMap((project) => {
    const { desired } = desiredOf(policies, project);
    return desired.resources.map(({ kind, key }) => addressOf(project.name, kind, key));
  });
  const moves = migrations.flatMap(({ from, repositories }) =>
    repositories.map((kind) => storageAddress(storageKey(from, kind))),
  );
  return {
    projects: projects.map(({ name }) => name),
    addresses: [...resources, ...moves],
    storages: [...new Set(migrations.flatMap(({ from, to }) => [from, to]))],
  };
}
