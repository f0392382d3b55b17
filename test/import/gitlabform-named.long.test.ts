import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { imported, isReported, type Mapping, mappingsIn, type Path } from "./reported.ts";

const whole: Mapping = parse(readFileSync(new URL("every-section.yml", import.meta.url), "utf8"));

/** The configuration with only the section that a path is in, and a value at the path; undefined removes it. */
function configurationWith(path: Path, value: unknown, version = 4): string {
  const [root = "", level = "", section = ""] = path.map(String);
  const below = structuredClone(whole);
  const levels = below.projects_and_groups as Mapping;
  const own = level === "" || root !== "projects_and_groups" ? levels["*"] : levels[level];
  const part = section === "" ? own : { [section]: (own as Mapping)[section] };
  const named = root === "projects_and_groups" && level !== "" ? level : "*";
  const others = root === "projects_and_groups" || root === "" ? {} : { [root]: below[root] };
  const configuration = { config_version: version, ...others, projects_and_groups: { [named]: part } };
  setAt(configuration, path, value);
  return stringify(configuration, { lineWidth: 0 });
}

function setAt(target: unknown, path: Path, value: unknown): void {
  const holder = path.slice(0, -1).reduce<unknown>((at, part) => (at as Mapping)[part], target) as Mapping;
  const last = path.at(-1) ?? "";
  if (value === undefined) delete holder[last];
  else holder[last] = value;
}

function valueAt(path: Path): unknown {
  return path.reduce<unknown>((at, part) => (at as Mapping)[part], whole);
}

/** Every key whose value contains no other key, and the keys within lists. */
function leavesIn(value: unknown): readonly Path[] {
  const keys = mappingsIn(value).flatMap((path) => {
    const mapping = path.reduce<unknown>((at, part) => (at as Mapping)[part], value);
    return Object.keys(mapping as Mapping).map((key) => [...path, key]);
  });
  return keys.filter((path) => mappingsIn(valueAt(path)).length === 0);
}

const unknown = "unheard_of";
const values = ["CANARY", 7, true, false, null, "", {}, [], { a: "CANARY" }, ["CANARY"], [{ a: 1 }]];

test("a key that no section has is named, wherever it stands and whatever its value is", () => {
  const mappings = mappingsIn(whole);
  fc.assert(
    fc.property(
      fc.constantFrom(...mappings),
      fc.constantFrom(...values),
      fc.constantFrom(3, 4),
      (path, value, version) => {
        const text = configurationWith([...path, unknown], value, version);
        const isNamed = isReported(text, [...path, unknown]) || imported(text).text.includes(unknown);
        expect([path, value, isNamed]).toEqual([path, value, true]);
      },
    ),
    { numRuns: 150 },
  );
});

/** What holds without them too: `active: true` of an integration, and flags that are as if they were not there. */
const usual = /\.protected=true$|\.enforce=false$|\.jira\.active=true$/;
/** Required secrets, for which a policy has the same reference whether they are stated or not. */
const secret = /\/(?:runner\.variables|\*\.group_variables)\.\w+\.value$|\.slack\.webhook$|\.jira\.password$/;
const stated = leavesIn(whole).filter(([root]) => root !== "config_version" && !String(root).startsWith("skip_"));

test("each key of each section is reported, or else a policy is another without it", () => {
  const silent = stated.filter((path) => {
    const name = path.join(".");
    if (usual.test(`${name}=${valueAt(path)}`)) return false;
    const before = configurationWith(path, valueAt(path));
    const without = imported(configurationWith(path, undefined)).text;
    if (secret.test(name)) return !without.includes(`${path.at(-1)}: { secret:`);
    return !isReported(before, path) && imported(before).text === without;
  });
  expect(silent).toEqual([]);
});

test("a key without a value is reported, or else a policy has it without a value", () => {
  const silent = stated.filter((path) => {
    const text = configurationWith(path, null);
    return !isReported(text, path) && !imported(text).text.includes(": null");
  });
  expect(silent).toEqual([]);
});
