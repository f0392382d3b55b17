import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { UserError } from "../../src/base/exit.ts";
import { validate } from "../../src/manifest/validate.ts";
import { problemLine } from "../../src/model/problem-line.ts";
import { loadWorkspace } from "../../src/workspace/load.ts";
import { folder, tempFolder } from "../support/folder.ts";

const workspace = "apiVersion: evenkeel/v1\nkind: Workspace\n";
const policy = (name: string) => `apiVersion: evenkeel/v1\nkind: Policy\nname: ${name}\nprojects: [a/${name}]\n`;

function layOut(files: Readonly<Record<string, string | Buffer>>): string {
  return folder({ "evenkeel.yaml": workspace, ...files }).root;
}

const filesOf = (root: string) => loadWorkspace(root).documents.map(({ file }) => file);
const linesOf = (root: string) => validate(loadWorkspace(root)).problems.map(problemLine);

describe("finding", () => {
  it("finds the workspace upward", () => {
    const root = layOut({ "policies/deep/a.yaml": policy("a") });
    expect(loadWorkspace(join(root, "policies", "deep")).root).toBe(root);
  });

  it("refuses with a way out where there is none", () => {
    const empty = tempFolder();
    expect(() => loadWorkspace(empty)).toThrow(UserError);
    expect(() => loadWorkspace(empty)).toThrow(/evenkeel init/);
    expect(() => loadWorkspace(join(empty, "missing"))).toThrow(UserError);
  });

  it("takes every other YAML file less dot paths, node_modules and nested workspaces", () => {
    const root = layOut({
      "a.yaml": policy("a"),
      "b/c.yml": policy("c"),
      "b/d.json": "{}",
      ".ci.yaml": "x: 1",
      ".github/w.yaml": "x: 1",
      "node_modules/x/y.yaml": "x: 1",
      "nested/evenkeel.yaml": workspace,
      "nested/a.yaml": policy("n"),
    });
    mkdirSync(join(root, "folder.yaml"));
    expect(filesOf(root)).toEqual(["a.yaml", "b/c.yml"]);
  });

  it.each([
    ["authority.pem", undefined],
    ["missing.pem", "missing.pem cannot be read (no such file or folder)"],
    ["policies", "policies is not a file"],
    ["text.pem", "text.pem contains no certificate; expected PEM, with -----BEGIN CERTIFICATE-----"],
    ["broken.pem", "broken.pem cannot be used: certificate 2 in it is damaged"],
  ])("reads the authorities of server.ca: %s", (ca, problem) => {
    const authority = readFileSync(join(import.meta.dirname, "../client/certificates/authority.pem"), "utf8");
    const root = layOut({
      "evenkeel.yaml": `${workspace}server:\n  ca: ${ca}\n`,
      "authority.pem": `# ours\n${authority}`,
      "text.pem": "no PEM",
      "broken.pem": `${authority}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
      "policies/a.yaml": policy("a"),
    });
    expect(linesOf(root)).toEqual(problem ? [`evenkeel.yaml:4:7  server.ca  ${problem}  (certificates)`] : []);
    expect(loadWorkspace(root).authorities).toBe(problem ? undefined : authority);
  });

  it("honours .gitignore on the way down, without a repository too", () => {
    const root = layOut({
      ".gitignore": "*.tmp.yaml\n/top.yaml\nbuild/\n",
      "a.tmp.yaml": "x: 1",
      "top.yaml": "x: 1",
      "sub/top.yaml": policy("t"),
      "sub/build/a.yaml": "x: 1",
      "sub/.gitignore": "!keep.tmp.yaml\nlocal.yaml\n",
      "sub/keep.tmp.yaml": policy("k"),
      "sub/local.yaml": "x: 1",
    });
    expect(filesOf(root)).toEqual(["sub/keep.tmp.yaml", "sub/top.yaml"]);
  });

  it("honours rules above the workspace in its repository, but not one that ignores the workspace itself", () => {
    const outer = layOut({
      ".gitignore": "secret*.yaml\n/scratch/\n",
      "ws/evenkeel.yaml": workspace,
      "ws/secret1.yaml": "x: 1",
      "ws/excluded.yaml": "x: 1",
      "ws/a.yaml": policy("a"),
      "scratch/evenkeel.yaml": workspace,
      "scratch/b.yaml": policy("b"),
    });
    execFileSync("git", ["init", "-q", outer]);
    mkdirSync(join(outer, ".git", "info"), { recursive: true });
    writeFileSync(join(outer, ".git", "info", "exclude"), "excluded.yaml\n");
    expect(filesOf(join(outer, "ws"))).toEqual(["a.yaml"]);
    expect(filesOf(join(outer, "scratch"))).toEqual(["b.yaml"]);
  });

  it("lets patterns decide alone", () => {
    const root = layOut({
      "evenkeel.yaml": `${workspace}manifests: ["./p/**/*.yaml", "one.yaml", ".dot/*.yaml"]\n`,
      ".gitignore": "p/ignored.yaml\n",
      "p/ignored.yaml": policy("a"),
      "p/node_modules/x.yaml": "x: 1",
      "p/.x.yaml": "x: 1",
      "one.yaml": policy("b"),
      "two.yaml": "x: 1",
      ".dot/c.yaml": policy("c"),
    });
    expect(filesOf(root)).toEqual([".dot/c.yaml", "one.yaml", "p/ignored.yaml"]);
  });
});

describe("hostile files", () => {
  it.each<[string, string | Buffer, string]>([
    ["too large", Buffer.alloc(4 * 1024 * 1024 + 1, "#"), "x.yaml:1:1  larger than 4 MiB  (too-large)"],
    [
      "not UTF-8",
      Buffer.from([0x61, 0x3a, 0x20, 0xff]),
      "x.yaml:1:4  not UTF-8 text: here is a character in another encoding, such as Latin-1; save the file as UTF-8  (binary)",
    ],
    [
      "NUL",
      "a: 1\nb: \0",
      "x.yaml:2:4  a control character, which YAML does not allow; is this a binary file?  (binary)",
    ],
    [
      "flow nesting",
      `a: ${"[".repeat(10_000)}${"]".repeat(10_000)}`,
      "x.yaml:1:103  nested more than 100 levels deep  (yaml)",
    ],
    ["a wall of brackets", "[".repeat(1_000_000), "x.yaml:1:100  nested more than 100 levels deep  (yaml)"],
  ])("%s", (_, content, line) => {
    expect(linesOf(layOut({ "x.yaml": content }))).toEqual([line]);
  });

  it.each([
    ["dashes", "- ".repeat(500_000)],
    ["questions", "? ".repeat(500_000)],
    ["commas", `[${",".repeat(1_000_000)}`],
    ["tags", "! ".repeat(500_000)],
    ["anchors", "&a ".repeat(300_000)],
    ["documents", `${"---\n".repeat(200_000)}[`],
    [
      "a chain of aliases",
      `9: &a9 [x]\n${Array.from({ length: 20_000 }, (_, i) => `${29_999 - i}: &b${i} [*${i === 0 ? "a9" : `b${i - 1}`}]`).join("\n")}`,
    ],
    ["block mappings", Array.from({ length: 500 }, (_, i) => `${" ".repeat(i)}k:`).join("\n")],
  ])("%s are a problem, in a moment", (_, text) => {
    const lines = linesOf(layOut({ "x.yaml": text }));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.every((line) => line.startsWith("x.yaml:"))).toBe(true);
  });

  it("accepts a byte order mark and CRLF, with true places", () => {
    const text = `\uFEFF${policy("a")}integratons: {}\n`.replaceAll("\n", "\r\n");
    expect(linesOf(layOut({ "x.yaml": text }))[0]).toMatch(/^x\.yaml:5:1 {2}integratons {2}unknown key/);
  });

  it("follows links inside the workspace only, and no linked folders", () => {
    const outside = layOut({ "o.yaml": policy("o") });
    const root = layOut({ "real/a.yaml": policy("a"), ".hidden/b.txt": policy("b") });
    symlinkSync(join(root, ".hidden", "b.txt"), join(root, "inside.yaml"));
    symlinkSync(join(outside, "o.yaml"), join(root, "outside.yaml"));
    symlinkSync(outside, join(root, "linked"));
    symlinkSync(join(root, "nowhere"), join(root, "broken.yaml"));
    symlinkSync(root, join(root, "real", "loop"));
    expect(filesOf(root)).toEqual(["inside.yaml", "real/a.yaml"]);
    expect(linesOf(root)).toEqual([
      "broken.yaml:1:1  cannot be read (no such file or folder)  (unreadable)",
      "linked:1:1  a linked folder outside the workspace is not searched  (linked-folder)",
      "outside.yaml:1:1  a symbolic link that leads out of the workspace  (symlink)",
    ]);
  });

  it("says which linked folders it does not search, where nothing else reads what they hold", () => {
    const root = layOut({ "real/a.yaml": policy("a"), ".hidden/b.yaml": policy("b") });
    symlinkSync(join(root, ".hidden"), join(root, "shown"));
    symlinkSync(join(root, "real"), join(root, "again"));
    expect(filesOf(root)).toEqual(["real/a.yaml"]);
    expect(validate(loadWorkspace(root)).problems).toMatchObject([
      { severity: "warning", rule: "linked-folder", place: { file: "shown" } },
    ]);
  });

  it("lets no linked folder lead a pattern out of the workspace", () => {
    const outside = layOut({ "sub/o.yaml": policy("o") });
    const root = layOut({
      "evenkeel.yaml": `${workspace}manifests: ["p/**/*.yaml", "out/sub/*.yaml", "q/*.yaml"]\n`,
      "p/a.yaml": policy("a"),
      "q/b.yaml": policy("b"),
    });
    symlinkSync(outside, join(root, "out"));
    symlinkSync(join(outside, "sub"), join(root, "p", "out"));
    symlinkSync(outside, join(root, "q", "linked"));
    expect(filesOf(root)).toEqual(["p/a.yaml", "q/b.yaml"]);
    expect(linesOf(root)).toEqual([
      "evenkeel.yaml:3:28  manifests[1]  out/sub is a link that leads out of the workspace  (symlink)",
      "p/out:1:1  a linked folder outside the workspace is not searched  (linked-folder)",
      "q/linked:1:1  a linked folder outside the workspace is not searched  (linked-folder)",
    ]);
  });

  it("searches a linked folder only where a pattern begins with it", () => {
    const root = layOut({
      "evenkeel.yaml": `${workspace}manifests: ["*/*.yaml", "shown/deep/*.yaml", "shown/*.yaml"]\n`,
      "real/a.yaml": policy("a"),
      ".hidden/deep/c.yaml": policy("c"),
      ".hidden/d.yaml": policy("d"),
      ".other/e.yaml": policy("e"),
    });
    for (const [name, target] of Object.entries({ shown: ".hidden", again: "real", other: ".other", round: "round" }))
      symlinkSync(target, join(root, name));
    symlinkSync("..", join(root, ".hidden", "deep", "up"));
    expect(filesOf(root)).toEqual(["real/a.yaml", "shown/d.yaml", "shown/deep/c.yaml"]);
    expect(linesOf(root)).toEqual([
      "other:1:1  a linked folder is not searched; if it has manifests, list it under manifests in evenkeel.yaml  (linked-folder)",
    ]);
  });

  it("never skips a pipe's end: what is no file is not read", () => {
    const root = layOut({ "a.yaml": policy("a") });
    execFileSync("mkfifo", [join(root, "pipe.yaml")]);
    expect(filesOf(root)).toEqual(["a.yaml"]);
  });

  it("lets nothing into Object.prototype", () => {
    const text = `${policy("a")}__proto__: { polluted: 1 }\nvars: { __proto__: { polluted: 1 } }\nlicenses: { __proto__: allowed }\n`;
    expect(linesOf(layOut({ "x.yaml": text })).length).toBe(2);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("keeps what a manifest puts in a key on one line", () => {
    const [line = ""] = linesOf(layOut({ "x.yaml": `${policy("a")}"\\e[31m\\nred": 1\n` }));
    expect(line).toContain("\\u001b[31m\\u000ared");
    expect(line).not.toContain("\n");
  });
});

describe("the digest", () => {
  it("is of paths and contents, and of nothing else", () => {
    const files = { "a.yaml": policy("a"), "b.yaml": policy("b") };
    const digest = loadWorkspace(layOut(files)).digest;
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(loadWorkspace(layOut({ ...files, "notes.txt": "x" })).digest).toBe(digest);
    expect(loadWorkspace(layOut({ ...files, "b.yaml": `${policy("b")}# x\n` })).digest).not.toBe(digest);
    expect(loadWorkspace(layOut({ "a.yaml": policy("a"), "c.yaml": policy("b") })).digest).not.toBe(digest);
    expect(loadWorkspace(layOut({ ...files, "evenkeel.yaml": `${workspace}# x\n` })).digest).not.toBe(digest);
  });
});
