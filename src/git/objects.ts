import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { createHash } from "node:crypto";
import { exit, UserError } from "../base/exit.ts";
import { type GitLocation, startGit } from "./run-git.ts";

/** Reads objects through one `git cat-file --batch` process. */
export interface GitObjects extends AsyncDisposable {
  /** Contents of blobs by ID. @throws UserError if one is missing. */
  readonly read: (ids: readonly string[]) => Promise<ReadonlyMap<string, Buffer>>;
}

export function gitObjects(location: GitLocation): GitObjects {
  const call = { cwd: location.top, location, args: ["cat-file", "--batch"] };
  const child = startGit(call, { stdio: "pipe" }) as ChildProcessWithoutNullStreams;
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
    child.once("error", () => resolve());
  });
  child.stdin.on("error", () => {});
  child.stderr.resume();
  const output = new Output(child.stdout);
  return {
    read: async (ids) => {
      child.stdin.write(ids.map((id) => `${id}\n`).join(""));
      const found = new Map<string, Buffer>();
      for (const id of ids) found.set(id, await contents(output, id));
      return found;
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      child.stdout.resume();
      await ended;
    },
  };
}

async function contents(output: Output, id: string): Promise<Buffer> {
  const [, type, size] = (await output.line()).split(" ");
  if (type !== "blob" || size === undefined) throw new UserError(lacking(id), exit.usage);
  const bytes = await output.bytes(Number(size));
  await output.bytes(1);
  return bytes;
}

function lacking(id: string): string {
  return `git lacks ${id}, as in a clone with --filter; git fetch --refetch --no-filter origin brings it`;
}

/** Reads the output of a process by lines or bytes. */
class Output {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: ChildProcessWithoutNullStreams["stdout"]) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    while (!this.#rest.includes(10)) await this.#more();
    return this.#take(this.#rest.indexOf(10) + 1)
      .toString("utf8")
      .trimEnd();
  }

  async bytes(count: number): Promise<Buffer> {
    while (this.#rest.length < count) await this.#more();
    return this.#take(count);
  }

  #take(count: number): Buffer {
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(count);
    return taken;
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#chunks.next();
    if (done) throw new UserError(lacking("what was asked for"), exit.usage);
    this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, value]) : value;
  }
}

/** The blob ID of these bytes, without filters. `length` is that of IDs in the repository. */
export function blobId(bytes: Buffer, length: number): string {
  const hash = createHash(length === 64 ? "sha256" : "sha1");
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
