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
  const texts = ([true, false] as const).flatMap((value) =>
    wordsFor[`${value}`].map((written) => ({ written, value })),
  );
  const spellings: readonly { readonly written: unknown; readonly value: boolean }[] = [
    ...texts,
    ...[true, 1].map((written) => ({ written, value: true })),
    ...[false, 0].map((written) => ({ written, value: false })),
  ];

  test("reads every spelling of a boolean, in JSON and in forms", async () => {
    const { ask } = await serving({ seed, behaviour });
    for (const { written, value } of spellings) {
      const sent = { recipients: "#a", push_events: written, colorize_messages: written };
      const form = Object.fromEntries(Object.entries(sent).map(([name, each]) => [name, String(each)]));
      const multipart = new FormData();
      for (const [name, each] of Object.entries(form)) multipart.append(name, each);
      for (const asking of [{ json: sent }, { form }, { body: multipart }]) {
        const { push_events, properties } = (await ask("PUT", irker, asking)).json;
        expect([written, push_events, properties.colorize_messages]).toEqual([written, value, value]);
      }
      const mine = await ask("GET", `/projects?membership=${written}`);
      expect(mine.json).toHaveLength(value ? 1 : 2);
    }
  });

  test("rejects anything else", async () => {
    const { ask } = await serving({ seed, behaviour });
    for (const written of ["2", "-1", "01", "tRUE", "yES", "enabled", "null", " true", "1.0", 2, 0.5, [], [true], {}]) {
      const put = await ask("PUT", irker, { json: { recipients: "#a", push_events: written } });
      expect([put.status, put.json]).toEqual([400, { error: "push_events is invalid" }]);
      const json = { environment: "e", sha: "s", ref: "r", tag: written, status: "running" };
      const made = await ask("POST", deployments, { json });
      expect([made.status, made.json]).toEqual([400, { error: "tag is invalid" }]);
    }
  });
});
