import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { subset } from "semver";
import { beforeAll, expect, test } from "vitest";
import { blocks, read, root } from "./readme.ts";
import { tempFolder } from "./support/folder.ts";

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

const folder = tempFolder();
const source = join(folder, "source");
const empty = join(folder, "empty");
const installed = join(empty, "node_modules/evenkeel");
const { dependencies, bin, engines, version } = JSON.parse(read("package.json"));
let packed: Packed;

beforeAll(() => {
  copySource();
  const [made] = JSON.parse(execFileSync("npm", ["pack", "--json", "--silent"], { cwd: source, encoding: "utf8" }));
  packed = made;
  install();
});

/** A clone in which nothing has been built. */
function copySource(): void {
  const built = new Set(["node_modules", "dist", ".git", ".evenkeel", "test", "examples"]);
  mkdirSync(source);
  for (const name of readdirSync(root).filter((name) => !built.has(name)))
    cpSync(join(root, name), join(source, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(source, "node_modules"));
}

/** Unpacks the tarball next to what it names as its dependencies, and nothing else: what npm does, without a registry. */
function install(): void {
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", join(source, packed.filename), "-C", installed, "--strip-components=1"]);
  for (const name of [...Object.keys(dependencies), "@types/node", "undici-types"]) link(name);
  writeFileSync(join(empty, "package.json"), '{ "type": "module" }');
}

function link(name: string): void {
  const place = join(empty, "node_modules", name);
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(join(root, "node_modules", name), place);
}

function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: empty, encoding: "utf8" });
  return { status, stdout, stderr };
}

const tool = (name: string, ...args: readonly string[]) =>
  run(join(root, "node_modules", name), ...args, join(source, packed.filename));

test("holds what it needs, no source and no left-overs of older builds", () => {
  const paths = packed.files.map(({ path }) => path);
  const tops = new Set(paths.map((path) => path.split("/")[0]));
  expect([...tops].sort()).toEqual(
    ["CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md", "dist", "docs", "package.json", "schemas"].sort(),
  );
  expect(paths).toEqual(expect.arrayContaining(["dist/cli.js", "dist/index.js", "dist/index.d.ts"]));
  expect(paths.filter((path) => path.endsWith(".d.ts"))).toEqual(["dist/index.d.ts"]);
  expect(paths.filter((path) => /(?<!\.d)\.ts$|\.map$/.test(path))).toEqual([]);
  expect(packed.size).toBeLessThan(1_200_000);
});

test("wants no other Node than its dependencies do", () => {
  interface Locked {
    readonly dev?: boolean;
    readonly engines?: { readonly node?: string };
  }
  const locked = Object.entries<Locked>(JSON.parse(read("package-lock.json")).packages);
  const wanting = locked.flatMap(([name, { dev, engines: { node } = {} }]) => (dev || !node ? [] : [{ name, node }]));
  expect(wanting).toContainEqual({ name: "", node: engines.node });
  expect(wanting.filter(({ node }) => !subset(engines.node, node))).toEqual([]);
});

test("its command can be executed", () => {
  expect((packed.files.find(({ path }) => path === bin.evenkeel)?.mode ?? 0) & 0o111).toBe(0o111);
  expect(readFileSync(join(installed, bin.evenkeel), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
});

test("runs in an empty folder with its own dependencies alone", () => {
  const program = join(installed, bin.evenkeel);
  expect(run(program, "--version")).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
  expect(run(program, "init", "policies")).toMatchObject({ status: 0, stderr: "" });
  expect(run(program, "validate", "-C", "policies")).toEqual({ status: 0, stdout: "Valid: 0 policies.\n", stderr: "" });
});

test("the program of docs/library.md runs in an empty folder", () => {
  const [program = ""] = blocks(read("docs/library.md"), "js");
  writeFileSync(join(empty, "program.mjs"), program);
  const { status, stdout, stderr } = run("program.mjs");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("Plan: 2 to create");
  expect(stdout).toContain("payments/core:license/AGPL-3.0 applied");
});

test("is a library without side effects on import", () => {
  const script = `
    const { plan, apply, version } = await import("evenkeel");
    const schema = await import("evenkeel/schemas/manifest.schema.json", { with: { type: "json" } });
    console.log(typeof plan, typeof apply, version, typeof schema.default.$schema);`;
  const { status, stdout } = run("--input-type=module", "--no-warnings", "-e", script);
  expect({ status, stdout }).toEqual({ status: 0, stdout: `function function ${version} string\n` });
});

test("its types hold for a strict program that uses them", () => {
  writeFileSync(
    join(empty, "program.ts"),
    `import { type Plan, plan, type Reader } from "evenkeel";
     type Result = Awaited<ReturnType<typeof plan>>;
     export const count = (made: Plan): number => made.summary.create;
     export type Told = readonly [Result, Reader];
     // @ts-expect-error a plan's counts are numbers, so the types are there
     export const wrong = (made: Plan): string => made.summary.create;\n`,
  );
  const options = ["--noEmit", "--strict", "--target", "es2023", "--types", "node"];
  for (const resolution of [
    ["--module", "nodenext"],
    ["--module", "esnext", "--moduleResolution", "bundler"],
  ])
    expect(run(join(root, "node_modules/typescript/bin/tsc"), ...options, ...resolution, "program.ts")).toEqual({
      status: 0,
      stdout: "",
      stderr: "",
    });
});

test("its types name the values that it exports, and no others", async () => {
  const types = readFileSync(join(installed, "dist/index.d.ts"), "utf8");
  const [, list = ""] = /^export \{ (.*) \};$/m.exec(types) ?? [];
  const typed = list.split(", ").map((each) => each.split(" as ").at(-1));
  const script = 'console.log(JSON.stringify(Object.keys(await import("evenkeel"))))';
  expect(typed.sort()).toEqual(JSON.parse(run("--input-type=module", "-e", script).stdout).sort());
});

test("publint and attw find nothing to say", () => {
  const lint = tool("publint/src/cli.js", "run", "--strict");
  expect(lint.stdout).toContain("All good!");
  expect(lint.status).toBe(0);
  const types = tool("@arethetypeswrong/cli/dist/index.js", "--profile", "esm-only", "--no-color");
  expect({ status: types.status, output: types.status === 0 ? "" : types.stdout }).toEqual({ status: 0, output: "" });
});

test("a plain install says which packages read Terraform's language", () => {
  writeFileSync(join(empty, "main.tf"), 'locals { a = "b" }\n');
  const { status, stderr } = run(join(installed, "dist/cli.js"), "import", "--from", "terraform", "main.tf");
  expect(status).toBe(1);
  expect(stderr).toContain("npm install web-tree-sitter @tree-sitter-grammars/tree-sitter-hcl; or import what");
});
