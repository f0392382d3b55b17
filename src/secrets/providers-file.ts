import { dirname, resolve } from "node:path";
import { isWithinReach } from "../git/open-git.ts";
import { parseManifest } from "../manifest/document.ts";
import { problemIn } from "../manifest/problem.ts";
import { type Provider, type Providers, readProviders } from "../manifest/secret-providers.ts";
import type { Problem } from "../model/types.ts";
import { readSecretFile } from "./secret-file.ts";

/** Undefined if the variable is not set. A program with a slash in its name is relative to the file. */
export function loadProviders(env: Readonly<Record<string, string | undefined>>, root: string): Providers | undefined {
  const { EVENKEEL_SECRET_PROVIDERS: file } = env;
  const path = providersPath(env);
  if (!file || !path) return undefined;
  const read = readSecretFile(path);
  if ("why" in read)
    return { known: new Map(), problems: [problemIn(file, "unreadable", `cannot be read (${read.why})`)] };
  const { known, problems } = readProviders(file, parseManifest(file, read.value));
  const placed = [...known].map(([name, provider]) => [name, resolveProgram(dirname(path), provider)] as const);
  return { known: new Map(placed), problems: [...problems, ...insideProblems(file, path, root)] };
}

export function providersPath({
  EVENKEEL_SECRET_PROVIDERS: file,
}: Readonly<Record<string, string | undefined>>): string | undefined {
  return file ? resolve(file) : undefined;
}

function resolveProgram(folder: string, { program, ...provider }: Provider): Provider {
  return { ...provider, program: program.includes("/") ? resolve(folder, program) : program };
}

function insideProblems(file: string, path: string, root: string): Problem[] {
  if (!isWithinReach(root, path)) return [];
  const message =
    "the file of secret providers is inside the workspace or its repository, or reached through them: whoever edits manifests can choose what is run";
  return [problemIn(file, "secret-providers", message)];
}
