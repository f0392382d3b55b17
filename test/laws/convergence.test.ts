import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { compareField } from "../../src/model/normalise.ts";
import { type Expected, expectedOf } from "./expected.ts";
import { type Fleet, fleet } from "./fleet.ts";
import { checkConvergence, law, onStage, type Stage, withoutPauses } from "./stage.ts";
import { canary } from "./values.ts";

const catalogue = catalogueOf();

withoutPauses();

const reads = fc.constantFrom("verify", "trust-updated-at") as fc.Arbitrary<"verify" | "trust-updated-at">;

const settings = [
  ["spec", false],
  ["spec", true],
  ["observed", false],
  ["observed", true],
] as const;

describe.each(settings)("behaviour %s, ledger %s", (behaviour, ledger) => {
  const keepable = behaviour === "observed" && !ledger;

  test("plan after apply is empty, and a second apply writes nothing", async () => {
    await law(3, [fleet({ keepable }), reads], async (generated, how) => {
      const setting = { behaviour, ledger, ...(ledger && { reads: how }) };
      await onStage(generated, setting, checkConvergence);
    });
  });
});

test("what stands on the server in the end is what the policies say, worked out another way", async () => {
  await law(4, [fleet()], async (generated) => {
    await onStage(generated, { behaviour: "spec" }, async (stage) => {
      await stage.apply();
      for (const expected of expectedOf(generated)) await checkProject(stage, generated, expected);
    });
  });
});

type Row = Readonly<Record<string, unknown>>;

async function checkProject(stage: Stage, { platform }: Fleet, { id, integrations, licenses, exclusive }: Expected) {
  const segment = Number.parseFloat(platform.release) < 14 ? "services" : "integrations";
  const base = `/projects/${id}`;
  const listed = (await stage.ask("GET", `${base}/${segment}`)) as Row[];
  const slugs = listed.map(({ slug }) => String(slug));
  for (const [slug, fields] of integrations) {
    if (fields === undefined || fields.active === false) expect(slugs).not.toContain(slug);
    else expect(slugs).toContain(slug);
    if (fields) checkFields(slug, fields, (await stage.ask("GET", `${base}/${segment}/${slug}`)) as Row);
  }
  const live = (await stage.ask("GET", `${base}/managed_licenses?per_page=100`)) as Row[];
  const statuses = new Map(live.map(({ name, approval_status }) => [String(name).toLowerCase(), approval_status]));
  for (const [name, { status }] of licenses) expect([name, words(statuses.get(name))]).toEqual([name, status]);
  if (exclusive.has("licenses")) expect(live.length).toBe(licenses.size);
  if (exclusive.has("integrations")) {
    const known = slugs.filter((slug) => !["alerts", "shimo"].includes(slug));
    expect(known.filter((slug) => !integrations.get(slug))).toEqual([]);
  }
}

function words(status: unknown): unknown {
  return { approved: "allowed", blacklisted: "denied" }[String(status)] ?? status;
}

/** Secrets are not shown, and what stands for one is not compared (docs/comparing.md); the rest is compared by meaning, as clients are told to. */
function checkFields(slug: string, fields: Row, answer: Row) {
  const properties = (answer.properties ?? {}) as Row;
  for (const [name, value] of Object.entries(fields)) {
    const column = catalogue.integrations.get(slug)?.parameters.get(name);
    if (column?.secret || String(value).startsWith(canary)) continue;
    const live = (column?.level === "top" ? answer : properties)[name];
    const compared = compareField(catalogue, { kind: "integration", key: slug }, name, folded(value), folded(live));
    expect({ slug, name, value, live, compared }).not.toMatchObject({ compared: "different" });
  }
}

/** Without a look-up a project's path is spelled as policies spell it, and case tells no projects apart (docs/manifests.md). */
function folded(value: unknown): string {
  return (typeof value === "string" ? value.toLowerCase() : value) as string;
}
