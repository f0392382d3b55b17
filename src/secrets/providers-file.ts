import { dirname, resolve } from "node:path";
import { isWithinReach } from "../git/open-git.ts";
import { parseManifest } from "../manifest/document.ts";
import { problemIn } from "../manifest/problem.ts";
import { type Providers, readProviders } from "../manifest/secret-providers.ts";
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
  const placed = [...known].map(([name, provider]) => {
    const { program } = provider;
    return [name, { ...provider, program: program.includes("/") ? resolve(dirname(path), program) : program }] as const;
  });
  const what = "the file of secret providers is";
  const warning = warnIfReachable(root, file, "secret-providers", what, "choose what is run");
  return { known: new Map(placed), problems: [...problems, ...warning] };
}

export function providersPath({
  EVENKEEL_SECRET_PROVIDERS: file,
}: Readonly<Record<string, string | undefined>>): string | undefined {
  return file ? resolve(file) : undefined;
}

/** A warning about a file outside the workspace that a merge request can edit; `what` ends with a verb. */
export function warnIfReachable(root: string, file: string, rule: string, what: string, harm: string): Problem[] {
  if (!isWithinReach(root, file)) return [];
  const message = `${what} inside the workspace or its repository, or reached through them: whoever edits manifests can ${harm}`;
  return [{ severity: "warning", rule, message, place: { file, line: 1, column: 1 } }];
}
