import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { exit, UserError } from "../base/exit.ts";
import { cannotListen, describeSystemError } from "../base/system-errors.ts";
import { parseManifest } from "../manifest/document.ts";
import { readKinds } from "../manifest/own-kinds.ts";
import { catalogueOf } from "../model/catalogue.ts";
import { problemLine } from "../model/problem-line.ts";
import type { ResourceKind } from "../model/resource-kind.ts";
import type { Problem } from "../model/types.ts";
import { parseChaos } from "../server/chaos.ts";
import { parseSeed } from "../server/seed.ts";
import { createServer, type Server, type ServerOptions } from "../server/server.ts";
import type { Options, Run } from "./command.ts";
import { checkedRelease } from "./run-request.ts";
import { serveUntilInterrupted, type Terminal } from "./terminal.ts";

export const run: Run<Options<"serve">> = async (terminal, options) => {
  const { seed, chaos, data, kinds: folder, ...rest } = options;
  const release = checkedRelease(options.release);
  if (options.token === "") throw new UserError("--token is empty: no request could use it", exit.usage);
  const kinds = folder === undefined ? [] : ownKinds(terminal, folder);
  const server = await startServer({
    ...rest,
    release,
    kinds,
    ...(seed && checkRead(parseSeed(readNamedFile(terminal, seed), seed, catalogueOf(options.dialect), kinds))),
    ...(chaos && checkRead(parseChaos(readNamedFile(terminal, chaos), chaos))),
    ...(data && { data: resolve(terminal.cwd, data) }),
  });
  await serveUntilInterrupted(terminal, server.url);
  await server.close();
  return exit.done;
};

async function startServer(options: ServerOptions & Pick<Options<"serve">, "host" | "port">): Promise<Server> {
  try {
    return await createServer(options);
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw cannotListen(options.host, options.port, error);
  }
}

function ownKinds({ cwd }: Terminal, folder: string): readonly ResourceKind[] {
  const { kinds } = checkRead(readKindFiles(cwd, folder));
  if (kinds.length > 0) return kinds;
  throw new UserError(`no document of kind: ResourceKind in ${folder}`);
}

function checkRead<Read extends object>(read: Read | { readonly problems: readonly Problem[] }): Read {
  if ("problems" in read) throw new UserError(read.problems.map(problemLine).join("\n"));
  return read;
}

function readNamedFile({ cwd }: Terminal, file: string): string {
  try {
    return readFileSync(resolve(cwd, file), "utf8");
  } catch (error) {
    throw new UserError(`cannot read ${file}: ${describeSystemError(error)}`);
  }
}

type KindFilesRead = { readonly kinds: readonly ResourceKind[] } | { readonly problems: readonly Problem[] };

/** Reads the `ResourceKind` documents below a folder; ignores other documents, such as policies. */
export function readKindFiles(cwd: string, folder: string): KindFilesRead {
  const parsed = listFiles(resolve(cwd, folder)).map((path) =>
    parseManifest(relative(cwd, path), readFileSync(path, "utf8")),
  );
  const read = readKinds(parsed.flatMap(({ documents }) => documents));
  const problems = [...parsed.flatMap((each) => each.problems), ...read.problems];
  return problems.length > 0 ? { problems } : { kinds: read.kinds };
}

function listFiles(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
    const isIgnored = (part: string) => part.startsWith(".") || part === "node_modules";
    const manifests = names.filter((name) => /\.ya?ml$/.test(name) && !name.split(sep).some(isIgnored));
    return manifests.map((name) => join(folder, name));
  } catch (error) {
    throw new UserError(`cannot read ${folder}: ${describeSystemError(error)}`);
  }
}
