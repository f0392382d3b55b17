import { chmodSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { type Folder, folder } from "../support/folder.ts";
import { lacks } from "../support/needs.ts";
import { runProcess } from "../support/processes.ts";

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
});
