import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { stage } from "./support/stage.ts";

/** Files of the build that are read before the first command is known, and packages that they import. */
function eager(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  if (!file.startsWith("./")) return seen;
  const text = readFileSync(join(inject("build"), file), "utf8");
  for (const [, imported = "", bare = imported] of text.matchAll(
    /^(?:import|export)\b[^;]*?\bfrom "([^"]+)";|^import "([^"]+)";/gm,
  ))
    eager(bare, seen);
  return seen;
}

test("help needs no catalogue, and of packages only what reads options and paints", () => {
  const files = [...eager("./cli.js")];
  expect(files.filter((file) => !file.startsWith("./") && !file.startsWith("node:")).sort()).toEqual([
    "ansis",
    "commander",
  ]);
  const own = files.filter((file) => file.startsWith("./"));
  const bytes = own.map((file) => readFileSync(join(inject("build"), file)).length);
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(110_000);
});

test("validate needs neither Ajv nor another YAML parser for a workspace without mistakes and kinds of its own", () => {
  const [file = ""] = readdirSync(inject("build")).filter((name) => /^validate-.*\.js$/.test(name));
  const packages = [...eager(`./${file}`)].filter((name) => !name.startsWith("./") && !name.startsWith("node:"));
  expect(packages).toEqual(expect.arrayContaining(["js-yaml"]));
  expect(packages.filter((name) => ["ajv", "yaml", "ignore", "@marcbachmann/cel-js"].includes(name))).toEqual([]);
  const words = ["validate", "-C", join(import.meta.dirname, "../examples/quickstart")];
  const { stderr, status } = spawnSync(process.execPath, [join(inject("build"), "cli.js"), ...words], {
    env: { PATH: process.env.PATH, NODE_DEBUG: "module" },
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, expect.stringContaining("node_modules/commander/")]);
  expect(stderr).not.toMatch(/node_modules\/(?:ajv|yaml)\//);
});

test("a plan loads no parser of files that it does not have", async () => {
  const { begin } = await stage({
    projects: [{ path: "p", licenses: { MIT: "allowed" } }],
    policy: { projects: ["p"], licenses: { MIT: "allowed" } },
    secrets: { NODE_DEBUG: "module" },
  });
  const { code, stderr } = await begin("plan").ended;
  expect([code, stderr]).toEqual([0, expect.stringContaining("node_modules/undici/")]);
  expect(stderr).not.toMatch(/node_modules\/(?:ajv|yaml)\//);
});

test("HTML is loaded by the console, and where a report asks for it, and not before", () => {
  const files = readdirSync(inject("build")).filter((file) => file.endsWith(".js"));
  const pages = files.filter((file) =>
    readFileSync(join(inject("build"), file), "utf8").includes("Content-Security-Policy"),
  );
  expect(pages).not.toEqual([]);
  const readers = files.filter((file) => pages.some((page) => eager(`./${file}`).has(`./${page}`)));
  const named = readers.filter((file) => !file.startsWith("chunk-")).map((file) => file.replace(/-[^-]*$/, ""));
  expect(named.sort()).toEqual(["console", "report-page"]);
});
