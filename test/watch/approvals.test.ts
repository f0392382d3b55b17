import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folderState } from "../../src/state/folder-store.ts";
import { keptMemory } from "../../src/state/watch-memory.ts";
import { folder, tempFolder } from "../support/folder.ts";
import { stage } from "../support/stage.ts";
import { chat, watching } from "./watching.ts";

const wiki = (url: string) => ({ "external-wiki": { external_wiki_url: url } });

function signer() {
  const file = join(tempFolder(), "key");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", file]);
  const [type, key] = readFileSync(`${file}.pub`, "utf8").split(" ");
  return { file, line: `ada@example.com ${type} ${key}\n` };
}

test("a watcher whose applies need approvals saves its plan, says how to sign it, and then carries it out", async () => {
  const { file, line } = signer();
  const outside = folder({
    allowed_signers: line,
    "approvals.yaml": "signers: allowed_signers\nrules: [{ when: always, count: 1 }]\n",
  });
  const room = await chat();
  const place = await stage({
    projects: [1, 2].map((id) => ({ id, path: `team/p${id}`, integrations: wiki("https://a") })),
    policy: { projects: ["team/*"], integrations: wiki("https://b") },
    workspace: { ledger: "state", notify: [{ url: { secret: "env:CHAT" }, on: ["refused"] }] },
    secrets: { CHAT: room.url, EVENKEEL_APPROVALS: join(outside.root, "approvals.yaml") },
  });
  const checks = (count: number) => watching(place, { checks: count, apply: "pending" });
  expect([await checks(2).ended, place.server.requests.writes]).toEqual([3, 0]);
  expect(room.events()).toEqual(["refused"]);
  const state = folderState(place.root);
  const run = (await keptMemory(state))?.waiting?.run ?? "";
  expect(room.heard[0]?.text).toContain(`evenkeel approve --plan ${run}`);
  expect((await place.evenkeel("approve", "--plan", run, "--key", file)).code).toBe(0);
  const last = checks(2);
  expect([await last.ended, last.outcomes()]).toEqual([0, ["applied", "in sync"]]);
  expect((await keptMemory(state))?.waiting).toBeUndefined();
});
