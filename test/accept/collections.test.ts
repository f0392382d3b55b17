import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { manifestValue } from "../../src/author/accept/manifests.ts";
import { setIn } from "../../src/author/format/edit.ts";
import { mapTexts } from "../../src/author/import/plain-values.ts";
import { literal } from "../../src/author/import/policy.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import type { Plain, Value } from "../../src/model/types.ts";

const written = (before: string, value: Plain) =>
  setIn(
    { text: `settings:\n  name: a # the name\n${before}  last: true\n`, document: 0 },
    ["settings", "topics"],
    mapTexts(value, literal),
  );

describe("a list or mapping takes the place of what was declared", () => {
  test.each([
    ["a list in lines", "  topics:\n    - a\n    - b\n"],
    ["a list in one line", "  topics: [a, b]\n"],
    ["a mapping", "  topics:\n    a: 1\n    b: { c: 2 }\n"],
    ["a value", "  topics: none\n"],
    ["a text in lines", "  topics: |\n    some\n    text\n"],
  ])("%s", (_, before) => {
    const text = written(before, ["x", { y: "${z}" }]);
    expect(text).toMatch(/^settings:\n {2}name: a # the name\n/);
    expect(parse(text ?? "")).toEqual({ settings: { name: "a", topics: ["x", { y: "$${z}" }], last: true } });
  });

  test("whatever it holds", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.record({ a: fc.string() }))),
        (value) => {
          const text = written("  topics:\n    - a\n", value) ?? "";
          const expected = JSON.parse(JSON.stringify(value).replaceAll("${", () => "$${"));
          expect(parse(text)).toEqual({ settings: { name: "a", topics: expected, last: true } });
        },
      ),
    );
  });

  test("but no comment is lost, and nothing that has an anchor", () => {
    expect(written("  topics:\n    - a # why\n", ["x"])).toBeUndefined();
    expect(written("  topics: # why\n    - a\n", ["x"])).toBeUndefined();
    expect(written("  topics: &topics [a]\n", ["x"])).toBeUndefined();
  });
});

test.each(["a: x # why", "a: |\r\n  x", "a: { b: x }"])("a text of two lines keeps the line ends of %j", (before) => {
  const lines = `${"long ".repeat(20)}\nsecond\n`;
  const path = before.includes("{") ? ["a", "b"] : ["a"];
  const text = setIn({ text: `${before}\r\nz: 1\r\n`, document: 0 }, path, lines) ?? "";
  expect(text).not.toMatch(/[^\r]\n/);
  expect(parse(text)).toEqual({ a: path.length > 1 ? { b: lines } : lines, z: 1 });
});

describe("a live value as a manifest declares it", () => {
  const value = (kind: string, name: string, live: Value, declared?: Value) =>
    manifestValue(catalogueOf(), { kind, key: "k" }, name, live, declared);

  test("is a list as it is, and of a mapping what is declared", () => {
    expect(value("settings", "topics", ["b", "a"])).toEqual({ value: ["b", "a"] });
    expect(value("protected_branch", "allowed_to_push", [{ access_level: "maintainer" }])).toEqual({
      value: [{ access_level: "maintainer" }],
    });
    const policy = { cadence: "1d", keep_n: 10, enabled: true };
    expect(value("settings", "container_expiration_policy", policy, { keep_n: 5 })).toEqual({ value: { keep_n: 10 } });
  });

  test("is a word where the kind has one, and null only where the field takes it", () => {
    expect(value("protected_branch", "push_access_level", "maintainer")).toEqual({ value: "maintainer" });
    expect(value("label", "priority", null)).toEqual({ value: null });
    expect(value("label", "description", null)).toEqual({ value: undefined });
  });

  test.each<[string, string, Value]>([
    ["environment", "external_url", "https://u:s3cret-pw@x.example.com/"],
    ["variable", "value", "postgres://u:s3cret-pw@db/x"],
    ["settings", "topics", ["a", "https://:s3cret-pw@x.example.com"]],
    ["integration", "external_wiki_url", "https://u:s3cret-pw@wiki.example.com"],
  ])("never has the password of a URL (%s %s)", (kind, name, live) => {
    expect(value(kind, name, live)).toEqual({
      why: `${name} has a URL with a password, which no manifest may contain`,
    });
  });

  test("is for a person to write where it holds secrets", () => {
    const declared = [{ key: "X-A", value: { secret: "env:A" } }];
    expect(value("webhook", "custom_headers", [{ key: "X-A" }, { key: "X-B" }], declared)).toEqual({
      why: "custom_headers holds secrets; edit the manifest",
    });
  });
});
