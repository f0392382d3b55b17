import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { translate } from "../../src/format/translate.ts";
import { addressOf, partsOfAddress } from "../../src/model/address.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { dialects, neutral } from "../../src/model/dialects.ts";
import type { Planned } from "../../src/reconcile/request.ts";
import { type Fleet, fleet } from "./fleet.ts";
import { changesOf, inSync, law, onStage, type Stage, withoutPauses } from "./stage.ts";

withoutPauses();

const platforms = [...dialects.keys()].filter((name) => name !== neutral.name);

/** What a dialect calls something that the specification names. */
function namesIn(dialect: string) {
  const slugs = [...catalogueOf().integrations.values()].map(({ slug, parameters }, index) => {
    const other = [...catalogueOf(dialect).integrations.values()][index];
    const names = [...(other?.parameters.keys() ?? [])];
    return [
      slug,
      { slug: other?.slug ?? "", names: new Map([...parameters.keys()].map((name, at) => [name, names[at]])) },
    ] as const;
  });
  const known = new Map(slugs);
  return {
    slug: (slug: string) => known.get(slug)?.slug ?? slug,
    fields: <Value>(slug: string, fields: Readonly<Record<string, Value>> | null): Record<string, Value> | null =>
      fields &&
      Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [known.get(slug)?.names.get(name) ?? name, value]),
      ),
  };
}

type Names = ReturnType<typeof namesIn>;

/** The same fleet as a server of that platform has it. */
function seededIn({ slug, fields }: Names, dialect: string, { seed, platform, ...rest }: Fleet): Fleet {
  const projects = seed.projects?.map(({ integrations = {}, ...project }) => ({
    ...project,
    integrations: Object.fromEntries(Object.entries(integrations).map(([key, has]) => [slug(key), fields(key, has)])),
  }));
  return { ...rest, platform: { ...platform, dialect }, seed: { ...seed, ...(projects && { projects }) } };
}

function manifestsIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => /^(?!\.).*\.yaml$/.test(file));
}

/** What `evenkeel translate` writes. */
function translateInto(from: string, to: string, dialect: string): void {
  for (const file of manifestsIn(from)) {
    const translated = translate(file, readFileSync(join(from, file), "utf8"), neutral.name, dialect);
    if ("problems" in translated) throw new Error(`${file}: ${translated.problems[0]?.message}`);
    expect(translated.left).toEqual([]);
    mkdirSync(dirname(join(to, file)), { recursive: true });
    writeFileSync(join(to, file), translated.text);
  }
}

/** What a plan does, in the names of a dialect. */
function doneBy({ plan }: Planned, { slug, fields }: Names) {
  return plan.resource_changes
    .map(({ address, change, call, notes = [] }) => {
      const { project = "", kind = "integration", key = "" } = partsOfAddress(address) ?? {};
      const isIntegration = kind === "integration";
      const words = (text: string) => (isIntegration ? text.replaceAll(key, slug(key)) : text);
      return {
        address: isIntegration ? addressOf(project, kind, slug(key)) : address,
        actions: change.actions,
        before: isIntegration ? fields(key, change.before) : change.before,
        after: isIntegration ? fields(key, change.after) : change.after,
        path: words(call.path),
        notes: notes.map(words),
      };
    })
    .toSorted((a, b) => (a.address < b.address ? -1 : 1));
}

const asTheyAre: Names = { slug: (slug) => slug, fields: (_, fields) => fields };

test.each(platforms)("manifests translated to %s come to the same plan, names apart", async (dialect) => {
  const names = namesIn(dialect);
  await law(4, [fleet()], async (generated) => {
    await onStage(generated, { behaviour: "spec" }, async (own: Stage) => {
      const expected = doneBy(await own.plan(), names);
      await onStage(seededIn(names, dialect, generated), { behaviour: "spec" }, async (other) => {
        translateInto(own.folder, other.folder, dialect);
        const planned = await other.plan();
        expect(planned.plan.problems).toEqual([]);
        expect(doneBy(planned, asTheyAre)).toEqual(expected);
        await other.apply();
        expect(changesOf(await other.plan())).toEqual(inSync);
      });
    });
  });
});
