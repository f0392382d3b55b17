import { chmodSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { type Folder, folder } from "../support/folder.ts";
import { lacks } from "../support/needs.ts";
import { runProcess } from "../support/processes.ts";
import { runProgram } from "./program.ts";

const workspace = "apiVersion: evenkeel/v1\nkind: Workspace\nserver: { url: https://code.example.com }\n";
const policy = `apiVersion: evenkeel/v1
kind: Policy
name: x
projects: [payments/api, payments/core, "**"]
disabled: [irc-gateway]
licenses: { MIT: allowed }
---
apiVersion: evenkeel/v1
kind: Policy
name: y
projects: [odd/one]
licenses: { "'; touch hit; '": allowed }
`;

const prepared = () => folder({ "evenkeel.yaml": workspace, "policies/a.yaml": policy });

async function complete(...words: readonly string[]): Promise<readonly string[]> {
  const { stdout, stderr, code } = await runProgram(["__complete", "--", ...words], prepared().root);
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0] ?? ""]));
}

describe("what may come next", () => {
  test.each<readonly [string, readonly string[], readonly string[]]>([
    ["commands", ["va"], ["validate"]],
    ["commands of two words", ["deployments", "li"], ["list"]],
    ["a second word of a command that is one", ["deprecations", "s"], ["scan"]],
    ["options", ["plan", "--fail"], ["--fail-on-loosening", "--fail-on-guard"]],
    ["choices of an option", ["serve", "--tier", ""], ["free", "premium", "ultimate"]],
    ["kinds of reports", ["plan", "--report", "mark"], ["markdown"]],
    ["a value behind an equals sign", ["plan", "--report=mark"], ["--report=markdown"]],
    ["slugs", ["explain", "irc-"], ["irc-gateway"]],
    ["projects", ["show", "payments/"], ["payments/api", "payments/core"]],
    ["projects behind options", ["show", "--report", "json", "payments/a"], ["payments/api"]],
    ["projects, when a target is begun", ["apply", "--target", "payments/c"], ["payments/core"]],
    [
      "addresses, when its project is known",
      ["apply", "--target", "payments/api:"],
      ["payments/api:integration/irc-gateway", "payments/api:license/MIT"],
    ],
    ["shells", ["completion", ""], ["bash", "zsh", "fish"]],
    ["nothing, where files are wanted", ["apply", "p"], []],
    ["nothing that is hidden", ["__"], []],
    ["nothing behind a command that is none", ["plam", ""], []],
  ])("%s", async (_, words, expected) => {
    expect(await complete(...words)).toEqual(expected);
  });

  test("every command", async () => {
    expect(await complete("")).toEqual(expect.arrayContaining(["init", "plan", "apply", "deployments", "--help"]));
  });

  test("a workspace with mistakes, or none, is no trouble", async () => {
    const broken = folder({ "evenkeel.yaml": "kind: [" }).root;
    for (const root of [folder().root, broken]) {
      const { code, stderr } = await runProgram(["__complete", "--", "show", ""], root);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    }
  });
});

async function shell(name: string, script: string): Promise<string> {
  const place: Folder = prepared();
  place.write("bin/evenkeel", `#!/bin/sh\nexec "${process.execPath}" "${join(inject("build"), "cli.js")}" "$@"\n`);
  chmodSync(join(place.root, "bin/evenkeel"), 0o755);
  const PATH = [join(place.root, "bin"), process.env.PATH].join(delimiter);
  const { stdout, stderr } = await runProcess(name, name === "zsh" ? ["-f", "-c", script] : ["-c", script], {
    cwd: place.root,
    env: { HOME: place.root, PATH },
  }).ended;
  expect(stderr).toBe("");
  return stdout.trim();
}

describe("scripts", () => {
  const inBash = async (line: string) =>
    (
      await shell(
        "bash",
        `source <(evenkeel completion bash)
       complete -p evenkeel > /dev/null && COMP_LINE='${line}' && COMP_POINT=\${#COMP_LINE}
       _evenkeel && printf '%s\\n' "\${COMPREPLY[@]}"`,
      )
    ).split("\n");

  test.skipIf(lacks("bash"))("bash, whose words end at : and = (needs bash)", async () => {
    expect(await inBash("evenkeel vali")).toEqual(["validate"]);
    expect(await inBash("evenkeel show ")).toEqual(["odd/one", "payments/api", "payments/core"]);
    expect(await inBash("evenkeel plan --target payments/api:int")).toEqual(["integration/irc-gateway"]);
    expect(await inBash("evenkeel plan --target=payments/api:int")).toEqual(["integration/irc-gateway"]);
    expect(await inBash("evenkeel plan --report=mark")).toEqual(["markdown"]);
    expect(await inBash("evenkeel plan --target odd/one:lic")).toEqual([
      "license/\\'\\;\\ touch\\ hit\\;\\ \\'",
      "license/MIT",
    ]);
  });

  test.skipIf(lacks("zsh"))("zsh, with meanings, and with a : in a word (needs zsh)", async () => {
    const stubs = "compdef() { true }; _describe() { print -rl -- ${(P)2} }; _files() { print files }";
    const source = "source <(evenkeel completion zsh)";
    const inZsh = (words: string, load = source) =>
      shell("zsh", `${stubs}; ${load}; words=(${words}); CURRENT=$#words; _evenkeel`);
    expect(await inZsh("evenkeel vali")).toBe("validate:check every manifest; offline, no token needed");
    expect(await inZsh("evenkeel plan --target payments/api:lic")).toBe("payments/api\\:license/MIT");
    expect(await inZsh("evenkeel apply plan")).toBe("files");
    const installed = "evenkeel completion zsh > _evenkeel; fpath=(. $fpath); autoload -Uz _evenkeel";
    expect(await inZsh("evenkeel completion f", installed)).toBe("fish");
  });

  test.skipIf(lacks("fish"))("fish (needs fish)", async () => {
    const inFish = (line: string) => shell("fish", `evenkeel completion fish | source; complete -C '${line}'`);
    expect(await inFish("evenkeel vali")).toBe("validate\tcheck every manifest; offline, no token needed");
    expect(await inFish("evenkeel plan --target payments/api:lic")).toBe("payments/api:license/MIT");
    expect(await inFish("evenkeel apply eve")).toBe("evenkeel.yaml");
  });

  test("another shell has none", async () => {
    const { code, stderr } = await runProgram(["completion", "tcsh"], folder().root);
    expect({ code, stderr }).toEqual({ code: 64, stderr: "error: expected one of bash, zsh, fish, got tcsh\n" });
  });
});
