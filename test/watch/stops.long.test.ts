import { rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { folderState } from "../../src/state/folder-store.ts";
import { keptMemory } from "../../src/state/watch-memory.ts";
import { repository } from "../revision/repository.ts";
import type { Running } from "../support/processes.ts";
import { type Setting, stage } from "../support/stage.ts";
import { until } from "../support/until.ts";
import { chat } from "./watching.ts";

const wiki = (url: string) => ({ "external-wiki": { external_wiki_url: url } });
const drifted = (more: Setting = {}) =>
  stage({
    projects: [{ id: 1, path: "team/p", integrations: wiki("https://by-hand") }],
    policy: { projects: ["team/*"], integrations: wiki("https://a") },
    ...more,
  });

/** Takes connections and says nothing. */
async function silent() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on("error", () => {}).resume())).listen(0, "127.0.0.1");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}/x`, isAsked: () => sockets.length > 0 };
}

async function terminated(program: Running, when: () => boolean) {
  await until(when);
  program.kill("SIGTERM");
  return program.ended;
}

/** Less than what the other side would take, and enough for a busy machine. */
const seconds = 50_000;

test(
  "SIGTERM while a remote does not answer ends the watcher with 0: no check has begun",
  async () => {
    const place = await drifted();
    const remote = await silent();
    const { git, commit } = repository(place.root);
    commit();
    git("remote", "add", "origin", remote.url);
    git("config", "branch.main.remote", "origin");
    git("config", "branch.main.merge", "refs/heads/main");
    const ended = await terminated(place.begin("watch", "--follow"), remote.isAsked);
    expect(ended).toMatchObject({ code: 0, stdout: "" });
  },
  seconds,
);

test(
  "SIGTERM while the server does not answer ends it with 130, also where the state cannot keep that any more",
  async () => {
    const place = await drifted({
      chaos: [{ match: "*/integrations", hang: true }],
      workspace: { requestTimeout: "10m" },
    });
    const program = place.begin("watch");
    const notes = join(place.root, ".evenkeel/notes");
    const ended = await terminated(program, () => {
      const isReading = place.server.requests.count("GET") > 0;
      if (isReading) rmSync(notes, { recursive: true, force: true });
      if (isReading) writeFileSync(notes, "");
      return isReading;
    });
    expect(ended).toMatchObject({ code: 130, stdout: expect.stringContaining("interrupted") });
    expect(ended.stderr).toMatch(/^warning: cannot .*\.evenkeel\/notes/m);
  },
  seconds,
);

test(
  "SIGTERM while receivers of notifications do not take them waits for 5 seconds, and leaves them to the next watcher",
  async () => {
    const busy = await chat([{ status: 429, headers: { "retry-after": "60" } }]);
    const quiet = await silent();
    const place = await drifted({
      workspace: { notify: [{ url: { secret: "env:BUSY" } }, { url: { secret: "env:QUIET" } }] },
      secrets: { BUSY: busy.url, QUIET: quiet.url },
    });
    const program = place.begin("watch", "--grace", "1");
    const ended = await terminated(program, () => busy.requests.length > 0 && quiet.isAsked());
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("drift: 1 change") });
    expect(ended.stderr).toContain("delivered to env:BUSY: answered with 429");
    expect(ended.stderr).toContain("delivered to env:QUIET: no answer before the end; the next watcher sends it again");
    expect([busy.requests.length, busy.heard]).toEqual([1, []]);
    expect((await keptMemory(folderState(place.root)))?.undelivered).toHaveLength(2);
  },
  seconds,
);
