import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasUncommitted } from "../../src/git/repository.ts";
import { folder } from "../support/folder.ts";

const files = new Set(["evenkeel.yaml", "policies/a.yaml"]);

function committed() {
  const { root } = folder({
    "ops/evenkeel.yaml": "x: 1\n",
    "ops/policies/a.yaml": "x: 1\n",
    "ops/policies/gone.yaml": "x: 1\n",
    "README.md": "read\n",
  });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], { cwd: root });
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "x");
  const at = (name: string) => join(root, "ops", name);
  return { root, git, at, has: () => hasUncommitted(join(root, "ops"), files) };
}

describe("whether manifests are as the commit has them", () => {
  test("they are", () => {
    expect(committed().has()).toBe(false);
  });

  test.each<readonly [string, boolean, (staged: ReturnType<typeof committed>) => void]>([
    ["an edited manifest", true, ({ at }) => writeFileSync(at("policies/a.yaml"), "x: 2\n")],
    [
      "an edited evenkeel.yaml that is staged",
      true,
      ({ at, git }) => {
        writeFileSync(at("evenkeel.yaml"), "x: 2\n");
        git("add", ".");
      },
    ],
    ["a manifest that is gone", true, ({ at }) => rmSync(at("policies/gone.yaml"))],
    ["a new file that is no manifest", false, ({ at }) => writeFileSync(at("plan.json"), "{}")],
    ["a file outside the workspace", false, ({ root }) => writeFileSync(join(root, "README.md"), "other\n")],
    [
      "a manifest that git does not know",
      true,
      ({ at, git }) => {
        git("rm", "--quiet", "--cached", at("policies/a.yaml"));
        git("commit", "--quiet", "--message", "x");
      },
    ],
  ])("%s: %s", (_, expected, change) => {
    const staged = committed();
    change(staged);
    expect(staged.has()).toBe(expected);
  });

  test("outside a repository, nobody can tell", () => {
    expect(hasUncommitted(folder({ "evenkeel.yaml": "x: 1\n" }).root, files)).toBe(false);
  });
});
