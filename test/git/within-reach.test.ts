import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isWithinReach } from "../../src/git/open-git.ts";
import { folder, tempFolder } from "../support/folder.ts";

/** A workspace beside a folder that is not of it, and links from each to the other. */
function places(): string {
  const root = tempFolder();
  for (const name of ["site/ops", "outside", "siteless"]) mkdirSync(join(root, name), { recursive: true });
  for (const name of ["site/ops/file", "outside/file", "siteless/file"]) writeFileSync(join(root, name), "");
  writeFileSync(join(root, "site/file-of-site"), "");
  symlinkSync("../../outside/file", join(root, "site/ops/out"));
  symlinkSync("../outside", join(root, "site/away"));
  symlinkSync("../site/ops/file", join(root, "outside/in"));
  symlinkSync("../site/ops", join(root, "outside/folder"));
  symlinkSync(join(root, "site/ops/out"), join(root, "outside/there-and-back"));
  symlinkSync("site", join(root, "same-site"));
  symlinkSync("loop", join(root, "outside/loop"));
  return root;
}

test.each([
  ["site/ops/file", true],
  ["same-site/ops/file", true],
  ["site/ops/out", true],
  ["site/away/file", true],
  ["outside/in", true],
  ["outside/folder/file", true],
  ["outside/there-and-back", true],
  ["outside/file", false],
  ["siteless/file", false],
  ["site/../outside/file", false],
  ["outside/folder/../file-of-site", true],
  ["site/away/../siteless/file", true],
  ["outside/./../site/ops/file", true],
  ["outside/loop", false],
  ["outside/nothing", false],
])("who edits the workspace can change what %s leads to: %s", (path, reached) => {
  const root = places();
  expect(isWithinReach(join(root, "site"), `${root}/${path}`)).toBe(reached);
  expect(isWithinReach(join(root, "same-site"), `${root}/${path}`)).toBe(reached);
});

test.each([
  ["a repository", () => ({ ".git/HEAD": "ref: refs/heads/main\n" })],
  ["a linked work tree or a submodule", () => ({ ".git": "gitdir: ../elsewhere\n" })],
])("what lies beside the workspace in %s is within reach, too", (_, repository) => {
  const { root } = folder({ ...repository(), "config/evenkeel.yaml": "", "approvals.yaml": "", "ops/rules.yaml": "" });
  for (const name of ["approvals.yaml", "ops", "ops/rules.yaml"]) {
    expect(isWithinReach(join(root, "config"), join(root, name))).toBe(true);
  }
  const outside = folder({ "approvals.yaml": "" });
  expect(isWithinReach(join(root, "config"), join(outside.root, "approvals.yaml"))).toBe(false);
});
