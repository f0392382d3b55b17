import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folderState } from "../../src/state/folder-store.ts";
import { listRuns } from "../../src/state/run-summary.ts";
import { keptMemory } from "../../src/state/watch-memory.ts";
import { cron, every, nextDue } from "../../src/watch/options.ts";
import { stage } from "../support/stage.ts";
import { chat, minute, movedClock, watching } from "./watching.ts";

const wiki = (url: string) => ({ "external-wiki": { external_wiki_url: url } });
const policy = { projects: ["team/*"], integrations: wiki("https://a") };
const projects = ["team/p", "team/q"].map((path, index) => ({ id: index + 1, path, integrations: wiki("https://a") }));
const put = "/projects/team%2Fp/integrations/external-wiki";

async function fleet(more: object = {}) {
  return stage({ projects, policy, ...more });
}

describe("a schedule", () => {
  const day = Date.UTC(2026, 10, 22);

  test("is a grid from the start on, and a check that lasts longer than the interval is not made up for", () => {
    const grid = every(30 * minute, day);
    const next = [0, 1, 30, 70].map((minutes) => (grid.after(day + minutes * minute) - day) / minute);
    expect(next).toEqual([30, 30, 60, 90]);
  });

  test("adds up to a tenth of the interval, and is overdue an interval later", () => {
    const schedule = every(30 * minute, day);
    for (const share of [0, 0.5, 0.999]) {
      const { at, late } = nextDue(schedule, day, () => share);
      expect(at - day).toBe(30 * minute + Math.floor(share * 3 * minute));
      expect(late - at).toBe(30 * minute);
    }
  });

  test("of cron is that of its fields", () => {
    const hourly = cron("7 * * * *", day);
    const first = hourly.after(day);
    expect(new Date(first).getUTCMinutes()).toBe(7);
    expect(hourly.after(first) - first).toBe(60 * minute);
  });

  test.each(["99 * * * *", "hourly", "* * *", "2027-01-01T00:00:00", "0 0 30 2 *", ""])("refuses %j", (text) => {
    expect(() => cron(text, day)).toThrow(
      expect.objectContaining({ code: 64, message: expect.stringContaining("expected") }),
    );
  });
});

describe("a watcher", () => {
  test("whose last check cannot be kept ends, and says so", async () => {
    const place = await fleet();
    const after = () => void mkdirSync(join(place.root, ".evenkeel", "notes", "watch.txt"), { recursive: true });
    await expect(watching(place, { checks: 1, after }).ended).rejects.toThrow("watch.txt");
  });

  test("whose checks cannot be kept checks ever less often, is not well meanwhile, and tells what it saw afterwards", async () => {
    const room = await chat();
    const place = await fleet({
      workspace: { notify: [{ url: { secret: "env:CHAT" } }] },
      secrets: { CHAT: room.url },
    });
    await place.ask("PUT", put, { form: { external_wiki_url: "https://by-hand" } });
    const notes = join(place.root, ".evenkeel/notes");
    mkdirSync(join(notes, ".."));
    writeFileSync(notes, "");
    const one = watching(place, { grace: 1, clock: movedClock(25 * minute) });
    await expect.poll(() => one.ends.length).toBe(7);
    expect(new Set(one.said)).toEqual(
      new Set([expect.stringMatching(/^cannot write \.evenkeel\/notes\/watch\.txt: /)]),
    );
    expect([room.events(), (one.status.late ?? 0) <= one.clock.now()]).toEqual([[], true]);
    rmSync(notes);
    one.clock.move(30 * minute);
    await expect.poll(room.events).toEqual(["drift"]);
    expect(one.status.late).toBeGreaterThan(one.clock.now());
  });

  test("checks once and then as often as it is to, writes nothing, and ends with the code of the last check", async () => {
    const place = await fleet();
    const clock = movedClock();
    const began = clock.now();
    const { ended, ends, outcomes } = watching(place, { checks: 3, clock });
    expect([await ended, outcomes()]).toEqual([0, ["in sync", "in sync", "in sync"]]);
    const times = ends.map(({ finishedAt }) => (finishedAt.getTime() - began) / minute);
    expect(times[0]).toBeLessThan(1);
    expect(times[1]).toBeGreaterThanOrEqual(30);
    expect(times[1]).toBeLessThanOrEqual(33.1);
    expect(times[2]).toBeGreaterThanOrEqual(60);
    await place.ask("PUT", put, { form: { external_wiki_url: "https://by-hand" } });
    const again = watching(place, { checks: 1 });
    expect([await again.ended, again.outcomes()]).toEqual([2, ["drift"]]);
    expect(place.server.requests.writes).toBe(1);
    const state = folderState(place.root);
    expect((await listRuns(state)).map(({ command, outcome }) => `${command} ${outcome}`)).toEqual([
      "watch drift",
      ...Array(3).fill("watch in sync"),
    ]);
  });

  test.each(["{", "null", '{"format":2}'])("starts anew where what it kept is %s", async (damaged) => {
    const place = await fleet();
    const state = folderState(place.root);
    await state.put("notes", [["watch", damaged]]);
    expect(await keptMemory(state)).toBeUndefined();
    const { ended, outcomes } = watching(place, { checks: 1 });
    expect([await ended, outcomes()]).toEqual([0, ["in sync"]]);
  });

  test("ends with 1 where a project cannot be read or a manifest is wrong, and goes on until then", async () => {
    const place = await fleet();
    const { ended, outcomes } = watching(place, {
      checks: 3,
      after: (_, checks) => place.policy(checks === 1 ? { projects: "team/*" } : policy),
    });
    expect([await ended, outcomes()]).toEqual([0, ["in sync", "failed", "in sync"]]);
    place.write("all.yaml", "kind: Polcy\n");
    expect(await watching(place, { checks: 1 }).ended).toBe(1);
  });

  test("keeps each check as a run, also one that came to no plan, and names it", async () => {
    const place = await fleet();
    const well = watching(place, { checks: 1 });
    expect(await well.ended).toBe(0);
    place.write("broken.yaml", "kind: Polcy\n");
    const wrong = watching(place, { checks: 1 });
    expect(await wrong.ended).toBe(1);
    place.write("broken.yaml", "");
    const refused = watching(
      { ...place, environment: { ...place.environment, EVENKEEL_TOKEN: "of-nobody" } },
      { checks: 1 },
    );
    expect(await refused.ended).toBe(1);
    const made = [well, wrong, refused].flatMap((each) => each.ends).map(({ run }) => run);
    const kept = await listRuns(folderState(place.root));
    expect(kept.map(({ run }) => run).sort()).toEqual([...made].sort());
    const reasonOf = (one?: { readonly run: string | null }) =>
      kept.find(({ run }) => run === one?.run)?.reasons?.join();
    expect(reasonOf(wrong.ends[0])).toContain("broken.yaml:1");
    expect(reasonOf(refused.ends[0])).toContain("401");
  });

  test("stands by while another one watches, and takes over when that ends", async () => {
    const place = await fleet();
    const first = watching(place, { clock: movedClock(5 * minute) });
    await expect.poll(() => first.ends.length).toBe(1);
    const second = watching(place, { checks: 1, clock: movedClock() });
    await expect.poll(() => second.said.length).toBe(1);
    expect(second.said[0]).toMatch(/^Standby: run \S+ of \S+ on \S+ \(process \d+\) is the active watcher since /);
    expect(second.status.standby).toMatchObject({ pid: process.pid });
    expect([second.ends, (await place.apply()).plan.problems]).toEqual([[], []]);
    first.stop();
    expect([await first.ended, await second.ended]).toEqual([0, 0]);
    expect(second.ends).toHaveLength(1);
  });

  test("ends in the middle of a check with 130, and the check says that it was interrupted", async () => {
    const place = await fleet({ latency: 20 });
    const one = watching(place);
    await expect.poll(() => place.server.requests.count("GET")).toBeGreaterThan(0);
    one.stop();
    expect(await one.ended).toBe(130);
    const state = folderState(place.root);
    expect((await listRuns(state))[0]).toMatchObject({ command: "watch", outcome: "interrupted" });
  });

  test("does not start without a workspace, or where its state cannot be kept", async () => {
    const place = await fleet();
    place.write(".evenkeel", "a file");
    await expect(watching(place).ended).rejects.toThrow("cannot write to");
    await expect(watching({ root: "/", environment: {} }).ended).rejects.toThrow("no evenkeel.yaml");
  });
});

describe("--apply", () => {
  const ledger = { workspace: { ledger: "state" } };

  test("pending carries out what the manifests ask for, and leaves drift alone", async () => {
    const place = await fleet(ledger);
    await place.apply();
    await place.ask("PUT", put, { form: { external_wiki_url: "https://by-hand" } });
    place.policy({ projects: ["team/q"], integrations: wiki("https://new") }, "q");
    const before = place.server.requests.writes;
    const { ended, ends, outcomes } = watching(place, { apply: "pending", checks: 3 });
    expect([await ended, place.server.requests.writes - before]).toEqual([2, 1]);
    expect([...(ends[0]?.applied?.outcomes ?? [])]).toEqual([
      ["team/q:integration/external-wiki", expect.objectContaining({ status: "applied" })],
    ]);
    expect(outcomes()).toEqual(["drift", "drift", "drift"]);
    const state = folderState(place.root);
    const applied = (await listRuns(state)).filter(({ command }) => command === "apply");
    expect(applied[0]).toMatchObject({ outcome: "applied", changes: 1 });
    expect(await state.list("journals")).toContain(applied[0]?.run);
  });

  test("drift puts back only what two checks in a row have seen alike", async () => {
    const place = await fleet(ledger);
    await place.apply();
    const byHand = (url: string) => place.ask("PUT", put, { form: { external_wiki_url: url } });
    await byHand("https://one");
    const { ended, ends, outcomes } = watching(place, {
      apply: "drift",
      checks: 4,
      clock: movedClock(),
      after: (_, checks) => checks === 1 && byHand("https://two"),
    });
    expect([await ended, outcomes()]).toEqual([0, ["drift", "drift", "applied", "in sync"]]);
    expect(ends.map(({ applied }) => applied !== undefined)).toEqual([false, false, true, false]);
  });

  test("pending without a ledger writes nothing, and drift without one waits for the second check", async () => {
    const place = await fleet();
    await place.ask("PUT", put, { form: { external_wiki_url: "https://by-hand" } });
    const before = place.server.requests.writes;
    expect(await watching(place, { apply: "pending", checks: 2 }).ended).toBe(2);
    expect(place.server.requests.writes).toBe(before);
    const { ended, outcomes } = watching(place, { apply: "drift", checks: 3 });
    expect([await ended, outcomes().at(-1)]).toEqual([0, "in sync"]);
    expect(place.server.requests.writes).toBe(before + 1);
  });

  test("a thing that is switched on again is drift, and one that a commit switches off is not", async () => {
    const place = await fleet(ledger);
    await place.apply();
    place.policy({ projects: ["team/q"], disabled: ["external-wiki"] }, "q");
    const first = watching(place, { apply: "pending", checks: 2 });
    expect([await first.ended, first.outcomes()]).toEqual([0, ["applied", "in sync"]]);
    await place.ask("PUT", put.replace("%2Fp", "%2Fq"), { form: { external_wiki_url: "https://again" } });
    const { ended, outcomes } = watching(place, { apply: "pending", checks: 2 });
    expect([await ended, outcomes()]).toEqual([2, ["drift", "drift"]]);
  });

  test("keeps to guards and leaves a workspace that somebody else applies alone", async () => {
    const place = await fleet({ workspace: { ledger: "state", protected: ["team/q:*"] } });
    await place.apply();
    place.policy({ projects: ["team/q"], disabled: ["external-wiki"] }, "q");
    const before = place.server.requests.writes;
    const refused = watching(place, { apply: "pending", checks: 1 });
    expect([await refused.ended, refused.outcomes()]).toEqual([3, ["refused"]]);
    const leases = folderState(place.root).leases("apply");
    const token = await leases.take({ run: "r1", who: "ada", host: "desk", pid: 1 }, minute);
    const waiting = watching(place, { apply: "pending", checks: 1 });
    expect(await waiting.ended).toBe(2);
    expect(waiting.said.at(-1)).toContain("not applied: run r1 of ada");
    if ("fence" in token) await leases.release("r1");
    expect(place.server.requests.writes).toBe(before);
  });
});
