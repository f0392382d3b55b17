import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import integrations from "../../schemas/integrations.schema.json" with { type: "json" };
import { durationOf } from "../../src/base/rate.ts";
import { rules } from "../../src/manifest/problem.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { manifestSchema } from "../../src/model/schemas.ts";

const manifest = manifestSchema(catalogueOf());

/** What an editor does: the whole schema, with everything in it. */
const ajv = new Ajv({ strict: false });
ajv.addSchema(integrations);
const validate = ajv.compile(manifest);

const folder = join(import.meta.dirname, "..", "cases", "validate");
const cases = readdirSync(folder).map((name) => parse(readFileSync(join(folder, name), "utf8")));

describe("the manifest schema", () => {
  // A literal secret is sound only where the workspace allows it, which an editor cannot know.
  const sound = cases.filter(({ expect: lines, name }) => lines.length === 0 && !/secrets in manifests/.test(name));
  it.each(sound.map(({ name, files }) => [name, files]))("takes what validate takes: %s", (_, files) => {
    for (const text of Object.values<string>(files)) {
      for (const document of parseAllDocuments(text)) {
        if (document.toJS() !== null) expect(validate(document.toJS()) || validate.errors).toBe(true);
      }
    }
  });

  it("names no integration", () => {
    const text = JSON.stringify(manifest);
    expect(Object.keys(integrations.properties).filter((slug) => text.includes(slug))).toEqual([]);
  });

  it("describes every key", () => {
    const { Workspace, Policy, StorageMigration } = manifest.definitions;
    for (const { properties } of [Workspace, Policy, StorageMigration]) {
      for (const [key, schema] of Object.entries(properties)) {
        expect([key, "description" in schema || "$ref" in schema || "const" in schema]).toEqual([key, true]);
      }
    }
  });
});

describe("rules", () => {
  it("that cases expect are those of the table", () => {
    const told = cases.flatMap(({ expect: lines }) =>
      (lines as string[]).map((line) => /\(([\w-]+)\)$/.exec(line)?.[1]),
    );
    expect(told.filter((rule) => !rule || !rules.has(rule))).toEqual([]);
  });
});

describe("durations", () => {
  it.each([
    ["500ms", 500],
    ["30s", 30_000],
    ["2m", 120_000],
    ["1h", 3_600_000],
    ["0s", 0],
    ["30", undefined],
    ["1.5s", undefined],
    ["-1s", undefined],
    ["", undefined],
    ["1d", undefined],
  ])("%s", (text, milliseconds) => {
    expect(durationOf(text)).toBe(milliseconds);
  });
});
