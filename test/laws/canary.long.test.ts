import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { catalogueOf } from "../../src/model/catalogue.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { withOutcomes } from "../../src/plan/run-end.ts";
import { outcomesText } from "../../src/report/outcomes.ts";
import { plain } from "../../src/report/terminal.ts";
import { planText, requestsText } from "../../src/report/text.ts";
import type { Applied, Rehearsed } from "../../src/run/request.ts";
import { type Fleet, fleet } from "./fleet.ts";
import { law, onStage, providerName, type Stage, token, withoutPauses } from "./stage.ts";
import { canary, secretNames, secretValue } from "./values.ts";
import type { Answered, Fate, Seen } from "./wire.ts";

const { integrations } = catalogueOf();

withoutPauses();

/** How a server may give back what it was told. */
const echoes: readonly Fate[] = [
  "pass",
  "lost",
  "acted and lost",
  (_, seen) => refusal(400, JSON.stringify({ message: { base: [spoken(seen)] } })),
  (_, seen) => refusal(400, JSON.stringify({ error: `${new URLSearchParams(seen.body)} is invalid` })),
  (_, seen) => refusal(422, spoken(seen)),
  (_, seen) => refusal(502, `<html><title>${spoken(seen)}</title>${spoken(seen).replaceAll("<", "&lt;")}</html>`),
  (_, seen) => refusal(500, JSON.stringify({ message: `${encodeURIComponent(spoken(seen))} failed` })),
  (answered, seen) => ({ ...answered, headers: { ...answered.headers, "x-request-id": headerText(seen) } }),
  (answered, seen) => ({ ...answered, body: shownOff(answered.body, seen) }),
];

const spoken = ({ body }: Seen) => `${token} ${Object.values(body).join(" ")}`;

/** Headers hold no character beyond Latin-1. */
const headerText = ({ body }: Seen) =>
  encodeURIComponent(Object.values(body).find((value) => value.includes(canary)) ?? "none");

/** Some of the secrets come from a provider. */
function provided(generated: Fleet): Fleet {
  return JSON.parse(JSON.stringify(generated).replaceAll('"env:PASSWORD"', `"${providerName}:PASSWORD"`));
}

function refusal(status: number, body: string): Answered {
  return { status, headers: { "content-type": body.startsWith("{") ? "application/json" : "text/html" }, body };
}

/** Puts every secret parameter in the answer, in clear, and the token beside them. */
function shownOff(text: string, { path }: Seen): string {
  const slug = /(?:integrations|services)\/([^/?]+)/.exec(path)?.[1] ?? "";
  const secrets = [...(integrations.get(slug)?.parameters.values() ?? [])].filter(({ secret }) => secret);
  const values = Object.fromEntries(
    secrets.map(({ name }, index) => [name, secretValue(secretNames[index % 4] ?? "")]),
  );
  const body: unknown = text === "" ? {} : JSON.parse(text);
  if (typeof body !== "object" || Array.isArray(body)) return text;
  const { properties = {} } = (body ?? {}) as { properties?: object };
  return JSON.stringify({ ...body, ...values, properties: { ...properties, ...values, token }, token });
}

function told({ plan, outcomes, missing, refused, requests }: Applied & Rehearsed): unknown[] {
  const result: Plan = withOutcomes(plan, outcomes);
  const texts = [planText(result, catalogueOf(), plain), outcomesText(result, plain), requestsText(requests ?? [])];
  return [result, texts, [...(outcomes ?? [])], missing, refused, requests];
}

/** Everything that a run leaves or says, as one text. */
function traces(stage: Stage, ran: readonly (Applied & Rehearsed)[], during: readonly string[]): string {
  return JSON.stringify([ran.map(told), [...stage.written()], during]);
}

describe.each(["spec", "observed"] as const)("behaviour %s", (behaviour) => {
  test("no secret and no token leaves the process but in a request, whatever the server repeats", async () => {
    const fates = fc.array(fc.nat(echoes.length - 1), { minLength: 1, maxLength: 12 });
    await law(5, [fleet(), fates, fc.boolean()], async (generated, choices, ledger) => {
      await onStage(provided(generated), { behaviour, ledger }, async (stage) => {
        const during: string[] = [];
        stage.wire.fate = (seen, index) => {
          if (index % 7 === 0) during.push(JSON.stringify([...stage.written()]));
          const fate = echoes[choices[index % choices.length] ?? 0] ?? "pass";
          return seen.method === "GET" && typeof fate === "string" ? "pass" : fate;
        };
        const ran = [await stage.rehearse(), await stage.apply(), await stage.plan(), await stage.apply()];
        const file = join(stage.folder, "saved.json");
        writeFileSync(file, JSON.stringify((await stage.plan()).plan));
        ran.push(await stage.apply({ saved: file }), await stage.rehearse({ resend: ["*"] }));
        const text = traces(stage, ran, during);
        expect(text.slice(Math.max(0, text.indexOf(canary) - 300)).slice(0, text.includes(canary) ? 400 : 0)).toBe("");
      });
    });
  });
});
