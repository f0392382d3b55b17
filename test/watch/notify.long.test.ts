import { describe, expect, test } from "vitest";
import { folderState } from "../../src/state/folder-store.ts";
import { keptMemory } from "../../src/state/watch-memory.ts";
import { messageBody } from "../../src/watch/notification-texts.ts";
import { fieldsOf, planned } from "../support/plans.ts";
import { type Setting, stage } from "../support/stage.ts";
import { chat, minute, movedClock, watching } from "./watching.ts";

const wiki = (url: string) => ({ "external-wiki": { external_wiki_url: url } });
const policy = { projects: ["team/*"], integrations: wiki("https://a") };
const projects = Array.from({ length: 30 }, (_, index) => ({
  id: index + 1,
  path: `team/p${index}`,
  integrations: wiki("https://a"),
}));

type Notified = Pick<Setting, "workspace" | "secrets" | "policies"> & { readonly on?: readonly string[] };

/** A fleet in sync, whose watcher tells a chat of everything, or of what `on` says. */
async function told(chatUrl: string, { on, workspace, secrets, policies }: Notified = {}) {
  const notify = [{ url: { secret: "env:CHAT" }, ...(on && { on }) }];
  return stage({
    ...{ projects, policy, ...(policies && { policies }) },
    workspace: { name: "payments", notify, ...workspace },
    secrets: { CHAT: chatUrl, ...secrets },
  });
}

type Place = Awaited<ReturnType<typeof told>>;

const change = async ({ ask }: Place, url: string, ...numbers: readonly number[]) => {
  for (const number of numbers)
    await ask("PUT", `/projects/team%2Fp${number}/integrations/external-wiki`, { form: { external_wiki_url: url } });
};

const checked = (place: Place, checks: number, more: Parameters<typeof watching>[1] = {}) =>
  watching(place, { checks, ...more }).ended;

describe("notifications", () => {
  test("tell of drift once, after two checks in a row have seen it, and once more when it is gone", async () => {
    const room = await chat();
    const place = await told(room.url);
    await change(place, "https://by-hand", 1);
    await checked(place, 1);
    expect(room.heard).toEqual([]);
    await checked(place, 1);
    expect(room.heard).toEqual([
      {
        event: "drift",
        workspace: "payments",
        run: expect.stringMatching(/^\d{8}T\d{6}Z-/),
        counts: { projects: 30, drift: 1, pending: 0, problems: 0, addresses: 1 },
        addresses: ["team/p1:integration/external-wiki"],
        text: expect.stringMatching(
          /^payments: drift: 1 resource differs from what was last applied\n- team\/p1:integration\/external-wiki: external_wiki_url is https: \/\/by-hand, declared https: \/\/a\nRun /,
        ),
      },
    ]);
    await checked(place, 3);
    expect(room.heard).toHaveLength(1);
    await change(place, "https://a", 1);
    await checked(place, 2);
    expect(room.events()).toEqual(["drift", "recovered"]);
    expect(room.heard[1]?.addresses).toEqual(["team/p1:integration/external-wiki"]);
  });

  test("of what comes and goes between two checks tell nothing; --grace 1 tells at once, the first 20 addresses", async () => {
    const room = await chat();
    const place = await told(room.url);
    await change(place, "https://by-hand", 1);
    await checked(place, 1);
    await change(place, "https://a", 1);
    await checked(place, 2);
    expect(room.heard).toEqual([]);
    await change(place, "https://by-hand", ...Array(25).keys());
    await checked(place, 1, { grace: 1 });
    expect([room.heard[0]?.addresses.length, room.heard[0]?.counts.addresses]).toEqual([20, 25]);
    expect(room.heard[0]?.text).toContain(
      "external-wiki in 25 projects: external_wiki_url is https: //by-hand, declared https: //a",
    );
    await change(place, "https://by-hand", 27);
    await checked(place, 1, { grace: 1 });
    expect(room.heard[1]?.addresses).toEqual(["team/p27:integration/external-wiki"]);
  });

  test("tell of a check that failed, and when checks are well again; what it kept from being seen is no recovery", async () => {
    const room = await chat();
    const place = await told(room.url);
    await change(place, "https://by-hand", 1);
    await checked(place, 2);
    place.write("broken.yaml", "apiVersion: evenkeel/v1\nkind: Polcy\n");
    await checked(place, 2);
    place.write("broken.yaml", "");
    await checked(place, 1);
    expect(room.events()).toEqual(["drift", "failed", "recovered"]);
    expect(room.heard[1]?.text).toContain("broken.yaml:2");
    expect(room.heard[2]).toMatchObject({ addresses: [] });
    expect(room.heard[2]?.text).toContain("recovered: 1 problem gone");
  });

  test("tell of an apply that a guard refused, once for the same objections", async () => {
    const room = await chat();
    const place = await told(room.url, { workspace: { ledger: "state", protected: ["team/p1:*"] } });
    await place.apply();
    place.policy({ projects: ["team/p1"], disabled: ["external-wiki"] }, "off");
    await checked(place, 3, { apply: "pending" });
    expect(room.events()).toEqual(["refused"]);
    expect(room.heard[0]?.text).toMatch(/^payments: blocked: nothing was applied\n- .*protected/);
  });

  test("tell what expires within two weeks, and again when it has", async () => {
    const room = await chat();
    const day = (days: number) => new Date(Date.now() + days * 24 * 60 * minute).toISOString().slice(0, 10);
    const until = (days: number) => ({ old: { projects: ["team/p1"], until: day(days), reason: "migration" } });
    const place = await told(room.url, { policies: until(30) });
    await checked(place, 1);
    place.policy(until(10).old, "old");
    await checked(place, 2);
    place.policy(until(-1).old, "old");
    await checked(place, 2);
    expect(room.events()).toEqual(["expiring", "expiring"]);
    expect(room.heard.map(({ text }) => text)).toEqual([
      expect.stringContaining("policy old expires"),
      expect.stringContaining("policy old expired"),
    ]);
  });

  test("reach whoever is named after the drift was seen", async () => {
    const room = await chat();
    const place = await told(room.url, { workspace: { notify: [] } });
    await change(place, "https://by-hand", 1);
    await checked(place, 3);
    const later = place.read("evenkeel.yaml").replace("notify: []", 'notify: [{ url: { secret: "env:CHAT" } }]');
    place.write("evenkeel.yaml", later);
    await checked(place, 2);
    expect(room.events()).toEqual(["drift"]);
  });

  test("go only to those who asked for them", async () => {
    const [all, some] = [await chat(), await chat()];
    const place = await told(all.url, {
      secrets: { SOME: some.url },
      workspace: { notify: [{ url: { secret: "env:CHAT" } }, { url: { secret: "env:SOME" }, on: ["recovered"] }] },
    });
    await change(place, "https://by-hand", 1);
    await checked(place, 2);
    await change(place, "https://a", 1);
    await checked(place, 1);
    expect([all.events(), some.events()]).toEqual([["drift", "recovered"], ["recovered"]]);
  });

  test("are sent again until they are taken, in their order, and no check waits for that", async () => {
    const room = await chat(["reset", { status: 503 }, { status: 429, headers: { "retry-after": "7" } }]);
    const place = await told(room.url);
    await change(place, "https://by-hand", 1);
    const { ended, outcomes, said } = watching(place, { checks: 2 });
    expect([await ended, outcomes()]).toEqual([2, ["drift", "drift"]]);
    expect(room.requests.map(({ method }) => method)).toEqual(Array(4).fill("POST"));
    expect([room.events(), said]).toEqual([["drift"], []]);
  });

  test.each([
    ["0", [1000, 2000, 4000, 8000]],
    ["soon", [1000, 2000, 4000, 8000]],
    ["7200", Array(4).fill(minute)],
  ])(
    "are sent again with growing pauses of up to a minute where the answer says Retry-After: %s",
    async (pause, all) => {
      const room = await chat(Array(4).fill({ status: 503, headers: { "retry-after": pause } }));
      const place = await told(room.url);
      await change(place, "https://by-hand", 1);
      const clock = movedClock();
      const pauses: number[] = [];
      const sleep: typeof clock.sleep = (milliseconds, signal) => {
        pauses.push(milliseconds);
        return clock.sleep(milliseconds, signal);
      };
      expect(await watching(place, { checks: 1, grace: 1, clock: { ...clock, sleep } }).ended).toBe(2);
      expect(room.events()).toEqual(["drift"]);
      expect(pauses.filter((each) => each === minute || (each >= 1000 && each < minute / 2))).toEqual(all);
    },
  );

  test("that nobody took are the next watcher's to deliver, and the URL is never shown", async () => {
    const room = await chat(Array(5).fill({ status: 500 }));
    const place = await told(room.url);
    await change(place, "https://by-hand", 1);
    const first = watching(place, { checks: 2 });
    expect(await first.ended).toBe(2);
    expect(first.said).toEqual(["a notification (drift) could not be delivered to env:CHAT: answered with 500"]);
    expect((await keptMemory(folderState(place.root)))?.undelivered).toHaveLength(1);
    await checked(place, 1);
    expect(room.events()).toEqual(["drift"]);
    expect(JSON.stringify([first.said, place.files()])).not.toContain("CANARY-of-the-chat");
    expect((await keptMemory(folderState(place.root)))?.undelivered).toEqual([]);
  });

  test.each([
    ["a redirect", { status: 302 }, "answered with 302"],
    ["a refusal", { status: 404 }, "answered with 404"],
  ])("follow no redirect, and are sent again with the next check: %s", async (_, answer, why) => {
    const other = await chat();
    const room = await chat([{ ...answer, headers: { location: other.url } }]);
    const place = await told(room.url);
    await change(place, "https://by-hand", 1);
    const { ended, said } = watching(place, { checks: 3 });
    expect(await ended).toBe(2);
    expect(new Set(said)).toEqual(new Set([`a notification (drift) could not be delivered to env:CHAT: ${why}`]));
    expect([room.events(), other.requests.length]).toEqual([["drift"], 0]);
  });

  test.each([
    ["env:NOT_SET", "env:NOT_SET (not set)"],
    ["env:PLAIN", "it is plain http to another machine; use https, or set allowInsecure: true"],
    ["env:NONE", "it is not an https URL"],
    ["env:ESCAPE", "a % in its user or password begins an escape such as %25"],
  ])("that have nowhere to go say so: %s", async (secret, why) => {
    const place = await told("", {
      workspace: { notify: [{ url: { secret } }] },
      secrets: {
        PLAIN: "http://chat.example.com/CANARY",
        NONE: "CANARY",
        ESCAPE: "https://u:100%CANARY@chat.example.com",
      },
    });
    await change(place, "https://by-hand", 1);
    const { ended, said } = watching(place, { checks: 2 });
    expect(await ended).toBe(2);
    expect(new Set(said)).toEqual(new Set([`a notification (drift) could not be delivered to ${secret}: ${why}`]));
  });

  test("call nobody in a chat and link nowhere, whatever things are called", () => {
    const address = "p:license/<!channel> @here [x](https://evil.example) `a` & \u202e";
    const news = { event: "drift", headline: "drift", lines: [], addresses: [address], run: null } as const;
    const body = messageBody("<@U1>", news, { projects: 1, drift: 1, pending: 0, problems: 0 });
    expect(body.text).not.toMatch(/[<>@&`\u202e]|\]\(|:\/\//);
    expect(body.addresses).toEqual([address]);
  });
});

describe("notify:", () => {
  test("needs its provider where the file of providers is known", async () => {
    const { evenkeelWith, write, root } = await stage({ workspace: { notify: [{ url: { secret: "vault:chat" } }] } });
    write("../providers.yaml", 'other: { command: [echo, "{ref}"] }\n');
    const { stderr } = await evenkeelWith({ EVENKEEL_SECRET_PROVIDERS: `${root}/../providers.yaml` }, "validate");
    expect(stderr).toContain("no provider vault is defined");
  });
});

describe("differences", () => {
  const sides = fieldsOf("update", { approval_status: "allowed" }, { approval_status: "denied" });
  const more = { kind: "license", cause: "drift", policy_effect: "tightened", change: sides } as const;
  const license = (project: string) => planned(project, "AGPL-3.0", "update", more);
  const counts = { projects: 2, drift: 2, pending: 0, problems: 0 };

  test("are told with field, values, direction and cause, equal ones in one line, and with a link to the console", () => {
    const changes = ["p/a", "p/b"].map(license);
    const addresses = changes.map(({ address }) => address);
    const headline = "drift: 2 resources differ from what was last applied";
    const news = { event: "drift", headline, addresses, changes, run: null } as const;
    const body = messageBody("acme", { ...news, run: "r-1" }, counts, "https://console.example.com");
    expect(body.text.split("\n")).toEqual([
      `acme: ${headline}`,
      "- license/AGPL-3.0 in 2 projects: approval_status is allowed, declared denied (looser than declared)",
      "Run r-1",
      "https://console.example.com/runs/r-1",
    ]);
    const one = messageBody("acme", { ...news, addresses: addresses.slice(0, 1) }, counts, "https://c");
    expect(one.url).toBe("https://c/projects/p/a");
    expect(messageBody("acme", news, counts).url).toBeUndefined();
  });
});
