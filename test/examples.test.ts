import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { blocks, cloned, commands, freePort, notPrinted, read, remove, root, session } from "./readme.ts";

const made: string[] = [];
const kept = (folder: string): string => {
  made.push(folder);
  return folder;
};
afterAll(() => made.forEach(remove));

const program = join(root, "dist/cli.js");

const documents: readonly (readonly [readme: string, folder: string])[] = [
  ["README.md", "."],
  ["examples/quickstart/README.md", "examples/quickstart"],
  ["examples/many-projects/README.md", "examples/many-projects"],
  ["examples/adopt-existing/README.md", "examples/adopt-existing"],
];

test.each(documents)("every command of %s does what it says", async (readme, folder) => {
  const told = commands(read(readme));
  const port = await freePort();
  const clone = kept(cloned(port));
  const lines = told.map(({ line }) => line);
  const ran = await session(clone, join(clone, folder), lines, port);

  expect(lines).not.toHaveLength(0);
  expect(ran.map(({ line, exit }) => ({ line, exit }))).toEqual(told.map(({ line, exit }) => ({ line, exit })));
  const missing = told.flatMap(({ shown }, index) => notPrinted(shown, ran[index]?.output ?? ""));
  expect(missing).toEqual([]);
  const plans = ran.filter(({ line }) => line.startsWith("evenkeel plan"));
  expect(plans.at(-1)?.output).toContain("No changes");
});

test("every manifest in the README is valid", () => {
  const manifests = blocks(read("README.md"), "yaml").filter((text) => text.includes("apiVersion: evenkeel/v1"));
  expect(manifests.map((text) => /^kind: (.*)$/m.exec(text)?.[1])).toEqual(["Workspace", "Policy", "StorageMigration"]);

  const folder = kept(mkdtempSync(join(tmpdir(), "evenkeel-manifests-")));
  mkdirSync(join(folder, "policies"));
  for (const [index, text] of manifests.entries()) {
    writeFileSync(join(folder, index === 0 ? "evenkeel.yaml" : `policies/${index}.yaml`), text);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, "validate", "-C", folder], {
    encoding: "utf8",
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "Valid: 1 policy.\n", stderr: "" });
});

test("the README's chaos file is one", async () => {
  const [rules = ""] = blocks(read("README.md"), "yaml").filter((text) => text.startsWith("- {"));
  const clone = kept(cloned(0));
  writeFileSync(join(clone, "chaos.yaml"), rules);
  const port = await freePort();
  const lines = [`evenkeel serve --port 8080 --chaos chaos.yaml &`];
  expect((await session(clone, clone, lines, port))[0]?.output).toContain("listening on");
});

test("the README's program runs against the library", () => {
  const [source = ""] = blocks(read("README.md"), "js");
  const clone = kept(cloned(0));
  writeFileSync(join(clone, "program.mjs"), source);
  const { status, stdout, stderr } = spawnSync(process.execPath, ["program.mjs"], { cwd: clone, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("payments/core:license/AGPL-3.0 applied");
});

test("the demo runs to its end", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "examples/demo/demo.mjs")], {
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  for (const words of ["14 to write", "14 applied", "No changes", "license/AGPL-3.0"]) expect(stdout).toContain(words);
});
