// What benchmarks start: workspaces in new folders, the embedded server, and measured processes.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const here = fileURLToPath(new URL(".", import.meta.url));
export const program = join(here, "../../dist/cli.js");
const execute = promisify(execFile);

/** A new folder with a workspace of these manifests. */
export function workspaceOf(manifests, settings = "") {
  const folder = mkdtempSync(join(tmpdir(), "evenkeel-bench-"));
  mkdirSync(join(folder, "policies"));
  const workspace = `apiVersion: evenkeel/v1\nkind: Workspace\nname: bench\nserver: { tier: ultimate }\n${settings}`;
  writeFileSync(join(folder, "evenkeel.yaml"), workspace);
  for (const [index, text] of manifests.entries()) writeFileSync(join(folder, `policies/${index}.yaml`), text);
  return folder;
}

/** What `use` makes of folders, which are removed then. */
export async function inFolders(folders, use) {
  try {
    return await use(...folders);
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true });
  }
}

/** What `use` makes of the address of an embedded server in a process of its own; `words`: those of server.mjs. */
export async function withServer(words, use) {
  return await listening([join(here, "server.mjs"), ...words], {}, use);
}

/** What `use` makes of the first line that a process prints, and of its ID; the process ends with it. */
export async function listening(words, options, use) {
  const child = spawn(process.execPath, words, { ...options, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = await once(child.stdout, "data");
    return await use(String(line).trim().replace("listening on ", ""), child.pid);
  } finally {
    child.kill();
    await once(child, "exit");
  }
}

/** The figures of one run of runs.mjs. */
export async function measuredKind(kind, { url = "", count, folder = "" }) {
  const { stdout } = await execute(process.execPath, [join(here, "runs.mjs"), kind, url, count, folder]);
  return JSON.parse(stdout);
}

/** CPU seconds and megabytes of the program as a whole process in a folder. */
export async function measuredProgram(folder, words, env = {}) {
  const figures = join(folder, "../", `${folder.split("/").at(-1)}.json`);
  const child = spawn(process.execPath, ["--import", join(here, "figures.mjs"), program, ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env, FIGURES: figures },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}`);
  const measured = JSON.parse(readFileSync(figures, "utf8"));
  rmSync(figures);
  return measured;
}

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
