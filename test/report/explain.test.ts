import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { checkParameters } from "../../src/model/parameter-check.ts";
import { explain, explainKinds, kindFiles } from "../../src/report/explain.ts";
import { kindExample } from "../../src/report/kind-words.ts";
import { type Palette, plain } from "../../src/report/terminal.ts";

const catalogue = catalogueOf();
const { integrations } = catalogue;

function explained(selection?: string) {
  const found = explain(catalogue, selection);
  if ("unknown" in found) throw new Error(found.unknown);
  return found;
}

const text = (selection?: string, palette = plain) => explained(selection).text(palette);
const json = (selection?: string) => explained(selection).json;

describe("integrations for scripts", () => {
  test("gives every integration, in order, with every parameter", () => {
    const all = json() as readonly { slug: string; parameters: readonly object[] }[];
    expect(all.map(({ slug, parameters }) => [slug, parameters.length])).toEqual(
      [...integrations].map(([slug, { parameters }]) => [slug, parameters.size]),
    );
  });
});

describe("integrations for people", () => {
  test.each([...integrations.keys()])(
    "the example for %s passes the check, and holds references where secrets go, and only there",
    (slug) => {
      const example = text(slug).split("In a policy:\n\n")[1] ?? "";
      const policy = parse(example) as { integrations: Record<string, Record<string, unknown>> };
      const written = Object.entries(policy.integrations[slug] ?? {});
      const sent = written.map(([name, value]) => [name, typeof value === "object" ? "resolved" : value]);
      expect(checkParameters(slug, Object.fromEntries(sent))).toEqual([]);
      const { parameters } = integrations.get(slug) ?? { parameters: new Map() };
      const secrets = [...parameters.values()]
        .filter((each) => each.secret && each.isRequired)
        .map((each) => each.name);
      const references = [...example.matchAll(/^ {4}(\w+): \{ secret: env:[A-Z_]+ \}$/gm)].map(([, name]) => name);
      expect(references).toEqual(secrets);
    },
  );

  test("colours mark, and change no word", () => {
    const mark = (painted: string) => `\u001b[1m${painted}\u001b[0m`;
    const loud: Palette = { add: mark, change: mark, remove: mark, strong: mark, faint: mark, warn: mark };
    for (const selection of [undefined, "irc-gateway", "irc-gateway.server_port"]) {
      const painted = text(selection, loud);
      expect(painted).toContain("\u001b[1m");
      expect(painted.replaceAll("\u001b[1m", "").replaceAll("\u001b[0m", "")).toBe(text(selection));
    }
  });
});

describe("kinds of resources", () => {
  test("are listed each once, with their owners and keys", () => {
    const rows = explainKinds(catalogue).text(plain).split("\n");
    const words = rows.slice(1).map((row) => row.trim().split(/ {2,}/)[0]);
    expect(new Set(words)).toEqual(
      new Set(kindFiles(catalogue).map(({ name, under }) => (under ? `${under}.${name}` : name))),
    );
    expect(rows.find((row) => /^ {2}variables .*project/.test(row))).toMatch(
      / variable +project +key@environment_scope /,
    );
  });

  test.each(kindFiles(catalogue).map((kind) => [kind.name, kind] as const))(
    "the example of %s is YAML",
    (name, kind) => {
      expect(Object.keys(parse(kindExample(kind).join("\n")))).toEqual([kind.under ?? name]);
    },
  );
});
