import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { format } from "../../src/author/format/format.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { type Fleet, fleet } from "../laws/fleet.ts";
import { importInto } from "../laws/import-into.ts";
import { changesOf, inSync, law, onStage, withoutPauses } from "../laws/stage.ts";

const { integrations } = catalogueOf();

withoutPauses();

/** What no policy can speak of; it is not counted where a project has nothing else. */
function unknownOf({ seed }: Fleet): number {
  const slugs = (seed.projects ?? []).flatMap((project) => Object.keys(project.integrations ?? {}));
  return slugs.filter((slug) => !integrations.has(slug)).length;
}

type Seeded = NonNullable<NonNullable<Fleet["seed"]["projects"]>[number]["integrations"]>;

const choice = () =>
  fc.record({
    lacks: fc.nat(12),
    own: fc.boolean(),
    mail: fc.constantFrom("a@example.com", "a@example.com", "b@example.com", "${vars.x}", "1"),
    room: fc.constantFrom("", "#a", "#a", "#b"),
  });

/** Projects that have most of what the first one has, and some of their own. */
const alike = fc
  .tuple(fleet(), fc.array(choice(), { minLength: 6, maxLength: 6 }))
  .map(([generated, choices]): Fleet => {
    const [first, ...others] = generated.seed.projects ?? [];
    const paths = ["payments/api", "payments/core", "payments/deep/er", "payments/web", "platform/web", "Solo-1/app_x"];
    const projects = choices.map(({ lacks, own, mail, room }, index) => {
      const path = paths[index] ?? "";
      const kept = <Value>(all: Readonly<Record<string, Value>> = {}) =>
        Object.fromEntries(Object.entries(all).filter((_, at) => at !== lacks));
      const tracker = { project_url: `https://t.example.com/${path}`, issues_url: "https://x.example.com/:id" };
      const integrations = {
        "issue-tracker-links-c": tracker,
        "emails-on-push": {
          recipients: mail,
          disable_diffs: true,
          send_from_committer_email: true,
          branches_to_be_notified: "protected",
          push_events: false,
        },
        ...(room && { "irc-gateway": { recipients: room, server_host: "irc.example.com", push_events: own } }),
        ...kept<Seeded[string]>(first?.integrations),
        ...(own && others[index % 2]?.integrations),
      };
      return {
        id: index + 1,
        path,
        integrations,
        licenses: { ...kept(first?.licenses), ...(own && { WTFPL: "denied" }) },
      };
    });
    return { ...generated, projects, seed: { projects } as Fleet["seed"] };
  });

const secretScope = fc.constantFrom("by-project" as const, "by-group" as const);

const oddities = [
  ...["true", "1", "12", " 3", "yes", "\u2028", "\x7f\x85", "a\r\nb\n", "# x", "*a", "!b", "\ufeff", "${", "$${x}"],
  ...["\t", ""],
];

const anything = fc.oneof(
  fc.constantFrom(...oddities, true, 0, 1.5),
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.string({ unit: "grapheme", maxLength: 90 }),
);

/** Rows that no client of today would write. */
const odd = fc
  .tuple(
    fleet(),
    fc.subarray([...integrations.values()], { minLength: 1, maxLength: 4 }).chain((chosen) =>
      fc.tuple(
        ...chosen.map(({ slug, parameters }) => {
          const values = Object.fromEntries([...parameters.keys()].map((name) => [name, anything]));
          return fc.record(values, { requiredKeys: [] }).map((fields) => [slug, { ...fields, active: true }] as const);
        }),
      ),
    ),
    fc.dictionary(fc.string({ unit: "binary", minLength: 1, maxLength: 8 }), fc.constantFrom("allowed", "approved")),
  )
  .map(([generated, live, licenses]): Fleet => {
    const [first = { id: 1, path: "a/b" }] = generated.projects;
    const seed = { projects: [{ ...first, integrations: Object.fromEntries(live), licenses }] };
    return { ...generated, projects: [first], seed: seed as Fleet["seed"] };
  });

describe.each(["spec", "observed"] as const)("behaviour %s", (behaviour) => {
  test("what should never have been stored is written so that it reads back, or left out", async () => {
    await law(10, [odd], async (generated) => {
      await onStage(generated, { behaviour }, async (stage) => {
        const text = await importInto(stage, generated, { all: true });
        const planned = await stage.plan();
        expect({ ...(changesOf(planned) as object), text }).toEqual({ ...inSync, text });
      });
    });
  });

  test("what was imported is all that is known of, and plans as empty, without a warning", async () => {
    await law(6, [fleet(), fc.boolean(), secretScope], async (generated, factor, secrets) => {
      await onStage(generated, { behaviour }, async (stage) => {
        const text = await importInto(stage, generated, { all: true, factor, secrets });
        const written = text === "" ? { text } : format("all.yaml", text, catalogueOf());
        if (text !== "" && "text" in written) expect(format("all.yaml", written.text, catalogueOf())).toEqual(written);
        expect(written).toHaveProperty("text");
        const planned = await stage.plan();
        expect({ ...(changesOf(planned) as object), text }).toEqual({ ...inSync, text });
        // An entry may lack fields of the shared policy that the server does not report for its project.
        expect(planned.plan.warnings.filter(({ rule }) => rule !== "narrowed")).toEqual([]);
        expect(planned.plan.summary.unmanaged).toBeLessThanOrEqual(unknownOf(generated));
      });
    });
  });

  test("what is shared changes nothing, and catches no project that was not imported", async () => {
    let shared = 0;
    const some = fc.subarray([1, 2, 3, 4, 5, 6], { minLength: 1 });
    await law(25, [alike, some, secretScope], async (generated, ids, secrets) => {
      await onStage(generated, { behaviour }, async (stage) => {
        const text = await importInto(stage, generated, { names: ids.map(String), factor: true, secrets });
        if (/\*\*|projects: \[[^\]]*,/.test(text)) shared++;
        const planned = await stage.plan();
        expect({ ...(changesOf(planned) as object), text }).toEqual({ ...inSync, text });
        expect(planned.plan.warnings.filter(({ rule }) => rule !== "narrowed")).toEqual([]);
        const wanted = generated.projects.filter(({ id }) => ids.includes(id)).map(({ path }) => path);
        expect(planned.differences.map(({ project }) => project).sort()).toEqual(wanted.sort());
      });
    });
    expect(shared).toBeGreaterThan(5);
  });
});
