import { describe, expect, test } from "vitest";
import type { Seed } from "../../src/server/seed.ts";
import { serving } from "./serving.ts";

const wordsFor = {
  true: "1 on On ON t true True TRUE T y yes Yes YES Y".split(" "),
  false: "0 off Off OFF f false False FALSE F n no No NO N".split(" "),
};
const seed: Seed = {
  projects: [
    { id: 1, path: "a/b" },
    { id: 2, path: "c/d", access: "stranger" },
  ],
};
const irker = "/projects/1/integrations/irc-gateway";
const deployments = "/projects/1/deployments";

describe.each(["spec", "observed"] as const)("behaviour %s", (behaviour) => {
  const spellings = [
    ...([true, false] as const).flatMap((value) => wordsFor[`${value}`].map((written) => [written, value] as const)),
    ...([
      [true, true],
      [false, false],
      [1, true],
      [0, false],
    ] as const),
  ];

  test.each(spellings)("%j is %j, in JSON and in forms, and kept as a boolean", async (written, value) => {
    const { ask } = await serving({ seed, behaviour });
    const sent = { recipients: "#a", push_events: written, colorize_messages: written };
    const form = Object.fromEntries(Object.entries(sent).map(([name, each]) => [name, String(each)]));
    const multipart = new FormData();
    for (const [name, each] of Object.entries(form)) multipart.append(name, each);
    for (const asking of [{ json: sent }, { form }, { body: multipart }]) {
      expect((await ask("PUT", irker, asking)).status).toBe(200);
      const { push_events, properties } = (await ask("GET", irker)).json;
      expect([push_events, properties.colorize_messages]).toEqual([value, value]);
    }
    const made = await ask("POST", deployments, {
      json: { environment: "e", sha: "s", ref: "r", tag: written, status: "running" },
    });
    expect(made.status).toBe(201);
    const mine = await ask("GET", `/projects?membership=${written}`);
    expect(mine.json).toHaveLength(value ? 1 : 2);
  });

  test.each(["2", "-1", "01", "tRUE", "yES", "enabled", "null", " true", "1.0", 2, 0.5, -1, [], [true], {}])(
    "%j is neither",
    async (written) => {
      const { ask } = await serving({ seed, behaviour });
      const put = await ask("PUT", irker, { json: { recipients: "#a", push_events: written } });
      expect([put.status, put.json]).toEqual([400, { error: "push_events is invalid" }]);
      const made = await ask("POST", deployments, {
        json: { environment: "e", sha: "s", ref: "r", tag: written, status: "running" },
      });
      expect([made.status, made.json]).toEqual([400, { error: "tag is invalid" }]);
    },
  );
});
