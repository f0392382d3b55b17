import { expect, test } from "vitest";
import { withDatabase } from "../state/databases.ts";
import { folder } from "../support/folder.ts";
import { stage } from "../support/stage.ts";
import { chat, minute, movedClock, watching } from "./watching.ts";

const wiki = (url: string) => ({ "external-wiki": { external_wiki_url: url } });

await withDatabase("watchers on two machines", (database) => {
  /** No test finds what another one left in the database. */
  let made = 0;

  /** Two clones of a workspace that has drifted, and the chat that hears of it. */
  async function clones(lease = "1m") {
    const room = await chat();
    const place = await stage({
      projects: [{ id: 1, path: "team/p", integrations: wiki("https://by-hand") }],
      policy: { projects: ["team/*"], integrations: wiki("https://a") },
      workspace: { name: `shared-${++made}`, notify: [{ url: { secret: "env:CHAT" } }] },
      secrets: { CHAT: room.url, EVENKEEL_STATE: database.url(), EVENKEEL_LEASE: lease },
    });
    const other = folder({ "evenkeel.yaml": place.read("evenkeel.yaml"), "all.yaml": place.read("all.yaml") });
    return { room, place, other: { root: other.root, environment: place.environment } };
  }

  test("work in turn, and what one told the other does not tell again", async () => {
    const { room, place, other } = await clones();
    const first = watching(place, { grace: 1, clock: movedClock(5 * minute) });
    await expect.poll(() => room.events()).toEqual(["drift"]);
    const second = watching(other, { grace: 1, checks: 2 });
    await expect.poll(() => second.said.length).toBe(1);
    expect(second.said[0]).toContain("Standby: run ");
    first.stop();
    expect([await first.ended, await second.ended]).toEqual([0, 2]);
    expect([second.outcomes(), room.events()]).toEqual([["drift", "drift"], ["drift"]]);
  });

  test("go on by themselves once a state that went away is back", async () => {
    const one = watching((await clones("2s")).place, { checks: 3, clock: movedClock(minute) });
    await expect.poll(() => one.ends.length).toBe(1);
    await database.kill();
    one.clock.move(100 * minute);
    await expect.poll(() => one.said.join()).toContain("unavailable");
    await database.start();
    one.clock.move(1000 * minute);
    expect([await one.ended, one.ends.length]).toEqual([2, 3]);
  });
});
