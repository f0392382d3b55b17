import { describe, expect, it } from "vitest";
import { longestBody } from "../../src/client/transport.ts";
import { call } from "../../src/model/call.ts";
import { catalogueOf, type IntegrationParameter } from "../../src/model/catalogue.ts";
import { normalise } from "../../src/model/normalise.ts";
import { routesOf } from "../../src/plan/routes/routes.ts";
import { integrationCalls, licenseCalls } from "./kind-calls.ts";
import { failureOf, reader, serve } from "./scripted.ts";

const single = call(integrationCalls.show, { id: "a/b", slug: "irc-gateway" });
const list = call(licenseCalls.list, { id: "a/b" });

it("an answer with more levels than a run can walk through is none", async () => {
  const levels = 100_000;
  const body = `[{"id": 1, "name": "MIT", "approval_status": "allowed", "x": ${"[".repeat(levels)}${"]".repeat(levels)}}]`;
  const client = await reader((await serve([{ body }])).url);
  expect(String(await failureOf(client.list(list)))).toContain(
    "answered 200 with more than 100 levels of lists and objects",
  );
});

it.each([
  ["as it is", '{"secret":"env:AWS_KEY"}'],
  ["with an escape", '{"\\u0073ecret":"file:.env","version":2}'],
])(
  "no answer holds a reference to a secret of this machine, which a request that repeats it would resolve: %s",
  async (_, text) => {
    const body = `[{"id":1,"name":"MIT","approval_status":"allowed","inputs":[{"name":${text}}],"keys":{"secret":"x","id":2}}]`;
    const client = await reader((await serve([{ body }])).url);
    const [row] = await client.list(list);
    expect(JSON.stringify(row)).not.toMatch(/env:|file:/);
    expect(row).toMatchObject({ keys: { secret: "x", id: 2 } });
  },
);

it("an answer longer than the limit is read no further", async () => {
  const client = await reader((await serve([{ body: " ".repeat(longestBody + 1) }])).url);
  expect(String(await failureOf(client.get(single)))).toContain("answered with a body that is too large");
});

describe("time that grows with an answer alone, at sizes that would never end if it grew faster", () => {
  const catalogue = catalogueOf();
  const signs = ["/", " ", ",", "\n", "\r", "\\", "=", "<", ":", '"'];
  const texts = signs.flatMap((sign) => [`${sign.repeat(400_000)}x`, `x${sign.repeat(400_000)}x`]);

  const columns = [...catalogue.integrations].flatMap(([slug, { parameters }]) =>
    [...parameters].map(([name, column]) => ({ slug, name, column })),
  );
  const unlike = new Map(columns.map((each) => [kindOf(each.column), each]));

  it.each([...unlike])("is that of comparing values: %s", (_, { slug, name }) => {
    for (const text of texts) normalise(catalogue, { kind: "integration", key: slug }, name, text);
  });

  it("is that of telling recipients apart", () => {
    const receiving = [...unlike.values()].filter(({ column }) => column.route?.role === "recipients");
    expect(receiving.length).toBeGreaterThan(0);
    for (const { slug, name } of receiving) {
      for (const text of texts) {
        const fields = { [name]: text, push_events: true, pipeline_events: true };
        const listener = { slug, active: true, source: "reported", fields, catalogue } as const;
        for (const event of ["commit", "pipeline"]) routesOf([listener], { event });
      }
    }
  });
});

/** What decides how its values are compared and read. */
function kindOf({ types, list, "x-url": url = false, observed, route }: IntegrationParameter): string {
  return JSON.stringify([types, list, url, [...observed], route?.role === "recipients"]);
}
