import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments, stringify } from "yaml";
import { addressOf, partsOfAddress } from "../../src/model/address.ts";
import { catalogueOf, type Integration } from "../../src/model/catalogue.ts";
import { dialects, neutral } from "../../src/model/dialects.ts";
import type { Planned } from "../../src/run/request.ts";
import { type Fleet, fleet } from "./fleet.ts";
import { changesOf, inSync, law, onStage, type Stage, withoutPauses } from "./stage.ts";

withoutPauses();

const platforms = [...dialects.keys()].filter((name) => name !== neutral.name);

/** What a dialect calls something that the specification names. */
function namesIn(dialect: string) {
  const known = dialects.get(dialect)?.integrations ?? {};
  return {
    slug: (slug: string) => known[slug]?.name ?? slug,
    fields: <Value>(slug: string, fields: Readonly<Record<string, Value>> | null): Record<string, Value> | null =>
      fields &&
      Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [known[slug]?.parameters?.[name] ?? name, value]),
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

/** Writes the manifests of a folder into another one, in the names of a dialect. */
function renameInto(from: string, to: string, dialect: string): void {
  for (const file of manifestsIn(from)) {
    const documents = parseAllDocuments(readFileSync(join(from, file), "utf8")).map((each) => each.toJS());
    mkdirSync(dirname(join(to, file)), { recursive: true });
    writeFileSync(join(to, file), documents.map((each) => stringify(renamed(each, dialect))).join("---\n"));
  }
}

function renamed(document: Manifest, dialect: string): Manifest {
  const { slug, fields } = namesIn(dialect);
  if (document.kind === "Workspace") return { ...document, server: { ...document.server, dialect } };
  const { integrations, disabled } = document;
  const entries = Object.entries(integrations ?? {}).map(([key, has]) => [slug(key), fields(key, has)]);
  return {
    ...document,
    ...(integrations && { integrations: Object.fromEntries(entries) }),
    ...(disabled && { disabled: disabled.map(slug) }),
  };
}

interface Manifest {
  readonly kind: string;
  readonly server?: object;
  readonly integrations?: Readonly<Record<string, Record<string, unknown>>>;
  readonly disabled?: readonly string[];
}

/** A platform has kinds of events that the specification does not know, which whoever loses others loses too. */
const onlyDialect =
  /will no longer receive (?:alerts|incidents|vulnerabilities|,? and |, )+(?: \(|$)|will receive no events$|^notifications move: /;

function recipients(note: string): string {
  return note.replace(/ will no longer receive .*/s, " loses events");
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
        notes: notes.filter((note) => !onlyDialect.test(note)).map((note) => recipients(words(note))),
      };
    })
    .toSorted((a, b) => (a.address < b.address ? -1 : 1));
}

const asTheyAre: Names = { slug: (slug) => slug, fields: (_, fields) => fields };

/** Whether the dialect has every parameter of an integration. */
function isWhole(dialect: string): (integration: Integration) => boolean {
  const { integrations } = catalogueOf(dialect);
  const { slug } = namesIn(dialect);
  return (integration) => integrations.get(slug(integration.slug))?.undeclared.size === 0;
}

test.each(platforms)("manifests in the names of %s come to the same plan, names apart", async (dialect) => {
  const names = namesIn(dialect);
  await law(4, [fleet({ only: isWhole(dialect) })], async (generated) => {
    await onStage(generated, { behaviour: "spec" }, async (own: Stage) => {
      const expected = doneBy(await own.plan(), names);
      await onStage(seededIn(names, dialect, generated), { behaviour: "spec" }, async (other) => {
        renameInto(own.folder, other.folder, dialect);
        const planned = await other.plan();
        expect(planned.plan.problems).toEqual([]);
        expect(doneBy(planned, asTheyAre)).toEqual(expected);
        await other.apply();
        expect(changesOf(await other.plan())).toEqual(inSync);
      });
    });
  });
});
