import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { folderState } from "../../src/state/folder-store.ts";
import { saveUnstored } from "../../src/state/state-folder.ts";
import { folder, tempFolder } from "../support/folder.ts";
import { stage } from "../support/stage.ts";

const policy = { projects: ["p"], licenses: { MIT: "allowed" } };
const projects = [{ path: "p" }];

type Link = readonly [name: string, at: string, target: (outside: string) => string];

const folders = ["journal", "runs", "plans", "notes", "snapshots"];
const files = ["lock", "watch.lock", ".gitignore", "ledger.ndjson"];
const links: readonly Link[] = [
  ["the folder itself", ".evenkeel", (outside) => outside],
  ["the folder itself, to nothing", ".evenkeel", (outside) => join(outside, "nothing")],
  ["the folder itself, to nothing inside", ".evenkeel", () => "nothing"],
  ["the folder itself, in a circle", ".evenkeel", () => ".evenkeel"],
  ["the folder itself, upward", ".evenkeel", () => ".."],
  ["the folder itself, into git", ".evenkeel", () => ".git/hooks"],
  ["the folder itself, over another link", ".evenkeel", () => ".hop"],
  ...folders.map((name): Link => [name, `.evenkeel/${name}`, (outside) => outside]),
  ...files.map((name): Link => [name, `.evenkeel/${name}`, (outside) => join(outside, "..", "a file")]),
  ...[...folders, ...files].map((name): Link => [`${name}, to nothing`, `.evenkeel/${name}`, (at) => join(at, "new")]),
];

async function linked([, at, target]: Link) {
  const outside = tempFolder();
  const empty = join(outside, "empty");
  mkdirSync(empty);
  writeFileSync(join(outside, "a file"), "theirs");
  const place = await stage({ projects, policy, workspace: { ledger: "state" } });
  mkdirSync(join(place.root, ".git/hooks"), { recursive: true });
  symlinkSync(empty, join(place.root, ".hop"));
  mkdirSync(dirname(join(place.root, at)), { recursive: true });
  symlinkSync(target(empty), join(place.root, at));
  const untouched = () => {
    expect([readdirSync(outside).sort(), readdirSync(empty)]).toEqual([["a file", "empty"], []]);
    expect(readdirSync(join(place.root, ".git/hooks"))).toEqual([]);
  };
  return { ...place, untouched };
}

describe("a link in .evenkeel that leads out of the workspace", () => {
  test.each(links)("%s: an apply refuses in a sentence, and nothing is made there", async (...link) => {
    const { root, apply, server, untouched } = await linked(link);
    const sentence = /cannot write .*\.evenkeel.* is a symbolic link that leads (out of|nowhere|into)/;
    expect((await apply()).plan.problems).toMatchObject([{ message: expect.stringMatching(sentence) }]);
    expect(() => folderState(root)).toThrow(sentence);
    const line = { event: "result", address: "p:license/MIT", status: "applied" } as never;
    expect(saveUnstored(root, "links-test", [line])).toContain("outcomes of run links-test");
    expect(server.requests.kept.filter(({ method }) => method !== "GET")).toEqual([]);
    untouched();
  });

  test.each(["apply --yes", "plan --save", "plan", "drift", "runs", "watch --max-checks 1", "state"])(
    "%s says so in one line",
    async (command) => {
      const { evenkeel, untouched } = await linked(["journal", ".evenkeel/journal", (outside) => outside]);
      const ran = await evenkeel(...command.split(" "));
      expect(ran).toMatchObject({ code: 1, stdout: "", writes: 0 });
      expect(ran.stderr).toMatch(
        /^(?:error: )?cannot write a journal in \.evenkeel\/journal: .*; remove the link(?: {2}\(setup\))?\n$/,
      );
      untouched();
    },
  );

  test("one that comes while a run goes on is refused at the next write", async () => {
    const outside = tempFolder();
    const { root } = folder({ "evenkeel.yaml": "" });
    const state = folderState(root);
    await state.put("notes", [["a", "1"]]);
    symlinkSync(outside, join(root, ".evenkeel/plans"));
    await expect(state.put("plans", [["a", "1"]])).rejects.toThrow("leads out of the workspace");
    expect(readdirSync(outside)).toEqual([]);
  });

  test("links that stay inside go on working, and a key may lie where the machine keeps it", async () => {
    const place = await stage({ projects, policy, workspace: { ledger: "state" } });
    mkdirSync(join(place.root, "kept"));
    symlinkSync("kept", join(place.root, ".evenkeel"));
    const key = join(tempFolder(), "key");
    writeFileSync(key, "0123456789abcdef0123456789abcdef");
    symlinkSync(key, join(place.root, "kept/ledger.key"));
    expect(await place.evenkeel("apply", "--yes")).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining("link"),
    });
    expect(readdirSync(join(place.root, "kept"))).toContain("ledger.ndjson");
  });
});

describe("what else is written where nobody said", () => {
  test.each([
    ["init", ".evenkeel"],
    ["init", "policies"],
    ["import --all", "policies"],
  ])("%s refuses a link out of the workspace: %s", async (command, at) => {
    const place = await stage({ projects: [{ path: "p", licenses: { MIT: "allowed" } }] });
    if (command === "init") rmSync(join(place.root, "evenkeel.yaml"));
    const outside = tempFolder();
    symlinkSync(outside, join(place.root, at));
    const ran = await place.evenkeel(...command.split(" "));
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(`${at} is a symbolic link that leads out of the workspace`);
    expect(readdirSync(outside)).toEqual([]);
  });
});
