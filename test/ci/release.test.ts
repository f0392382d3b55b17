import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { parse } from "yaml";
import { read, root } from "../readme.ts";
import { folder, tempFolder } from "../support/folder.ts";
import { runScript } from "./shell.ts";

const { version } = JSON.parse(read("package.json"));
const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => void close()));

/** A clone of this repository, which has what `npm ci` installed, and a changelog of this version. */
function clone(): string {
  const built = new Set(["node_modules", "dist", "release", ".git", ".evenkeel", "test"]);
  const to = tempFolder();
  for (const name of readdirSync(root).filter((name) => !built.has(name)))
    cpSync(join(root, name), join(to, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(to, "node_modules"));
  const text = "# Changelog\n\n## Unreleased\n\nLater.\n\n## 0.0.1\n\nEarlier.\n";
  writeFileSync(join(to, "CHANGELOG.md"), text);
  return to;
}

function release(cwd: string, tag: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [".ci/release.mjs", tag], { cwd, encoding: "utf8" });
  return { status, said: `${stdout}${stderr}` };
}

test("a release is a package that installs without a registry, its checksum and its notes; the action installs it", async () => {
  const cwd = clone();
  expect(release(cwd, "v9.9.9")).toEqual({
    status: 1,
    said: `the tag v9.9.9 is not v${version}, the version of package.json\n`,
  });
  expect(release(cwd, `v${version}`)).toMatchObject({
    status: 1,
    said: expect.stringContaining(`CHANGELOG.md has no section "## ${version}"`),
  });
  const text = `# Changelog\n\n## ${version} (2026-11-21)\n\n- One.\n\n### Two\n\n- Three.\n\n## 0.0.1\n\nEarlier.\n`;
  writeFileSync(join(cwd, "CHANGELOG.md"), text);
  expect(release(cwd, `v${version}`)).toMatchObject({ status: 0 });
  const made = join(cwd, "release");
  const tarball = `evenkeel-${version}.tgz`;
  expect(readdirSync(made).sort()).toEqual(["SHA256SUMS", tarball, "notes.md"].sort());
  expect(readFileSync(join(made, "notes.md"), "utf8")).toBe("- One.\n\n### Two\n\n- Three.\n");
  execFileSync("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: made });

  const url = await served(join(made, tarball));
  const [sum = ""] = readFileSync(join(made, "SHA256SUMS"), "utf8").split(" ");
  const installed = await install(`${url}/${tarball}`, sum);
  expect(installed.output).toMatch(new RegExp(`^${tarball}: OK$`, "m"));
  expect(installed.exit).toBe(0);
  const evenkeel = join(installed.prefix, "bin/evenkeel");
  expect(execFileSync(evenkeel, ["--version"], { encoding: "utf8" })).toBe(`${version}\n`);
  const place = folder();
  execFileSync(evenkeel, ["init", "."], { cwd: place.root });
  expect(execFileSync(evenkeel, ["validate"], { cwd: place.root, encoding: "utf8" })).toBe("Valid: 1 policy.\n");
  const state = {
    cwd: place.root,
    env: { ...process.env, EVENKEEL_STATE: "postgres://a:b@127.0.0.1:1/c" },
    encoding: "utf8",
  } as const;
  expect(spawnSync(evenkeel, ["state"], state).stderr).not.toMatch(/Cannot find|ERR_MODULE/);

  const other = await install(`${url}/${tarball}`, sum.replace(/./g, "0"));
  expect([other.exit === 0, readdirSync(other.prefix)]).toEqual([false, []]);
}, 120_000);

/** The step of the action, with npm kept from any registry and installing into a folder of its own. */
async function install(tarball: string, sum: string) {
  const { runs } = parse(read("examples/ci/github-action.yml"));
  const { run, env } = runs.steps.at(-1);
  expect(Object.keys(env)).toEqual(["TARBALL", "SHA256"]);
  const prefix = tempFolder();
  const variables = {
    TARBALL: tarball,
    SHA256: sum,
    RUNNER_TEMP: tempFolder(),
    npm_config_prefix: prefix,
    npm_config_cache: tempFolder(),
    npm_config_registry: "http://127.0.0.1:1/",
    npm_config_fetch_retries: "0",
  };
  mkdirSync(prefix, { recursive: true });
  return { ...(await runScript(run, tempFolder(), variables, tempFolder())), prefix };
}

async function served(file: string): Promise<string> {
  const server = createServer((_, response) => response.end(readFileSync(file)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}
