import { expect, test } from "vitest";
import manifest from "../../schemas/manifest.schema.json" with { type: "json" };
import plan from "../../schemas/plan.schema.json" with { type: "json" };
import seed from "../../schemas/seed.schema.json" with { type: "json" };
import { catalogueOf } from "../../src/model/catalogue.ts";
import { importedKinds } from "../../src/model/kinds.ts";
import { kindWord } from "../../src/model/owner.ts";

const sections = importedKinds(catalogueOf(), "project").map(({ section }) => section);
const { properties } = manifest.definitions.Policy;

test("the schemas know every kind of resource", () => {
  const word = new RegExp(plan.definitions.change.properties.kind.pattern);
  expect([...catalogueOf().kinds.keys()].map(kindWord).filter((kind) => !word.test(kind))).toEqual([]);
  expect(properties.exclusive.items.enum).toEqual(sections);
  expect(properties.exclusive["x-expected"]).toBe(`a list of ${sections.join(", ")}`);
  expect(Object.keys(properties)).toEqual(expect.arrayContaining(sections));
  expect(Object.keys(seed.definitions.project.properties)).toEqual(expect.arrayContaining(sections));
});
