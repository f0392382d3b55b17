import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Client } from "./languages.ts";

const run = promisify(execFile);

/** Installs a client below `root`, the system left as it is; why that cannot be done here, or undefined. */
export async function install(
  { name, packages }: Pick<Client, "name" | "packages">,
  root: string,
): Promise<string | undefined> {
  const mark = join(root, `${name}.installed`);
  if (existsSync(mark)) return undefined;
  try {
    await ("apt" in packages ? debian(packages.apt, root) : npm(packages.npm, root));
    writeFileSync(mark, "");
    return undefined;
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    return (stderr || message).trim().split("\n").at(-1) ?? "";
  }
}

/** Downloads what the system does not have of the packages and of what they need, and unpacks it: no root is asked for. */
async function debian(names: readonly string[], root: string): Promise<void> {
  const [cache, lists] = [join(root, "archives"), join(root, "lists")];
  for (const folder of [cache, lists]) mkdirSync(join(folder, "partial"), { recursive: true });
  const places = [`Dir::Cache::archives=${cache}`, `Dir::State::lists=${lists}`, "Debug::NoLocking=1"];
  const options = places.flatMap((each) => ["-o", each]);
  if (!readdirSync(lists).some((name) => name.includes("Packages"))) await run("apt-get", [...options, "-q", "update"]);
  await run("apt-get", [...options, "-qy", "--no-install-recommends", "--download-only", "install", ...names]);
  for (const each of readdirSync(cache).filter((file) => file.endsWith(".deb"))) {
    await run("dpkg", ["-x", join(cache, each), root]);
    rmSync(join(cache, each));
  }
}

async function npm(names: readonly string[], root: string): Promise<void> {
  await run("npm", ["install", "--prefix", root, "--no-fund", "--no-audit", "--ignore-scripts", ...names]);
}
