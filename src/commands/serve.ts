import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { exit, UserError } from "../base/exit.ts";
import { cannotListen } from "../base/listen-address.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { catalogueOf } from "../model/catalogue.ts";
import { problemLine } from "../model/problem-line.ts";
import type { ResourceKind } from "../model/resource-kind.ts";
import type { Problem } from "../model/types.ts";
import { type ChaosRule, parseChaos } from "../server/chaos.ts";
import { allKinds } from "../server/kinds.ts";
import { parseSeed, type Seed } from "../server/seed.ts";
import { createServer, type Server, type ServerOptions } from "../server/server.ts";
import type { Run } from "./command.ts";
import { readKinds } from "./kind-files.ts";
import { checkedRelease } from "./run-request.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** `evenkeel serve`: runs the embedded server until it is interrupted. */
export const run: Run<Options<"serve">> = async (terminal, options) => {
  const { seed, chaos, data, kinds: folder, ...rest } = options;
  const release = checkedRelease(options.release);
  if (options.token === "") throw new UserError("--token is empty: no request could use it", exit.usage);
  if (options.port > 65535) throw new UserError("--port takes a number from 0 to 65535", exit.usage);
  const kinds = folder === undefined ? [] : ownKinds(terminal, folder);
  const server = await started({
    ...rest,
    release,
    kinds,
    ...(seed && { seed: readSeed(terminal, seed, options.dialect, kinds) }),
    ...(chaos && { chaos: readChaos(terminal, chaos) }),
    ...(data && { data: resolve(terminal.cwd, data) }),
  });
  terminal.listen();
  terminal.print(`listening on ${server.url}`);
  await new Promise<void>((stop) => terminal.interrupted.addEventListener("abort", () => stop(), { once: true }));
  await server.close();
  return exit.done;
};

async function started(options: ServerOptions & Pick<Options<"serve">, "host" | "port">): Promise<Server> {
  try {
    return await createServer(options);
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw cannotListen(options.host, options.port, error);
  }
}

function ownKinds({ cwd }: Terminal, folder: string): readonly ResourceKind[] {
  const read = readKinds(cwd, folder, allKinds());
  if ("problems" in read) throw new UserError(problemsOf(read.problems));
  if (read.kinds.length > 0) return read.kinds;
  throw new UserError(`no document of kind: ResourceKind in ${folder}`);
}

function readSeed(terminal: Terminal, file: string, dialect: string, kinds: readonly ResourceKind[]): Seed {
  const parsed = parseSeed(readNamedFile(terminal, file), file, catalogueOf(dialect), kinds);
  if ("seed" in parsed) return parsed.seed;
  throw new UserError(problemsOf(parsed.problems));
}

function readChaos(terminal: Terminal, file: string): readonly ChaosRule[] {
  const parsed = parseChaos(readNamedFile(terminal, file), file);
  if ("chaos" in parsed) return parsed.chaos;
  throw new UserError(problemsOf(parsed.problems));
}

function problemsOf(problems: readonly Problem[]): string {
  return problems.map(problemLine).join("\n");
}

function readNamedFile({ cwd }: Terminal, file: string): string {
  try {
    return readFileSync(resolve(cwd, file), "utf8");
  } catch (error) {
    throw new UserError(`cannot read ${file}: ${describeSystemError(error)}`);
  }
}
