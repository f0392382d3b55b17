import fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { type Mapping, mappingsIn, unreportedIn } from "./reported.ts";

const unknown = "unheard_of";
const anything = fc.constantFrom<unknown>("red", true, null, 3, "", [], {}, { delete: true }, ["x"]);
const flag = fc.constantFrom<unknown>(true, false);

/** An entry of a section with some of these fields, and mostly a key that no kind has. */
function entryWith(...fields: readonly string[]) {
  const stated = Object.fromEntries(fields.map((name) => [name, fc.oneof(fc.constantFrom("red", "blue"), anything)]));
  return fc.record(
    { ...stated, [unknown]: anything, delete: flag, inherit: fc.constant(false) },
    { requiredKeys: [unknown] },
  );
}

const sections = fc.record(
  {
    labels: fc.record(
      {
        bug: entryWith("color", "description", "name"),
        idea: entryWith("color"),
        enforce: flag,
        skip: fc.constantFrom(true, false, "x"),
        inherit: fc.constant(false),
      },
      { requiredKeys: ["bug"] },
    ),
    branches: fc.record({ main: entryWith("push_access_level"), dev: fc.record({ protected: flag }) }),
    project_settings: entryWith("visibility", "issues_enabled", "issues_access_level", "topics"),
    integrations: fc.record({ slack: entryWith("channel", "webhook", "active") }),
    group_labels: fc.record({ bug: entryWith("color") }),
    project: fc.record({ archive: fc.constantFrom(true, false, false, false), [unknown]: anything }),
  },
  { requiredKeys: [] },
);
const keys = ["*", "a/*", "a/b/*", "a/b/c/*", "c/*", "a/p", "a/pq", "a/b/p", "a/p*", "a/pq*", "c/*x*", "c/px", "d/p"];
const configuration = fc.record(
  {
    config_version: fc.constantFrom(3, 4),
    projects_and_groups: fc
      .subarray(keys)
      .chain((chosen) => fc.record(Object.fromEntries(chosen.map((key) => [key, sections])))),
    skip_projects: fc.subarray(["a/pq", "c/*", "d/p*"], { maxLength: 1 }),
    skip_groups: fc.subarray(["a/b", "c", "a/b/*"], { maxLength: 1 }),
  },
  { requiredKeys: ["projects_and_groups"] },
);

test("a key that no section has is reported at each level that states it, whatever the levels around it state", () => {
  fc.assert(
    fc.property(configuration, (generated) => {
      const text = stringify(generated, { lineWidth: 0 });
      const holders = mappingsIn(generated).filter((path) =>
        Object.hasOwn(path.reduce<unknown>((at, part) => (at as Mapping)[part], generated) as Mapping, unknown),
      );
      expect(
        unreportedIn(
          text,
          holders.map((path) => [...path, unknown]),
        ),
      ).toEqual([]);
    }),
    { numRuns: 40 },
  );
});
