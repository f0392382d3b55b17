import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { translate } from "../../src/format/translate.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { problemLine } from "../../src/model/problem-line.ts";

function told(text: string, from = "neutral", to = "gitlab") {
  const translated = translate("a.yaml", text, from, to);
  if ("problems" in translated) throw new Error(translated.problems.map(problemLine).join("\n"));
  return { text: translated.text, left: translated.left.map(problemLine) };
}

const head = "apiVersion: evenkeel/v1\n";

test("slugs, parameters and addresses are renamed; quotes, comments and layout stay", () => {
  const policy = `# irc-gateway is spoken of here
${head}kind: Policy
name: irc-gateway
integrations:
    "ci-build-server-a":   # the old one
        { ci_url: "https://ci_url", 'build_key': K }
    external-wiki: {external_wiki_url: https://wiki_url}
disabled: [ irc-gateway,'mock-ci' ]
---
kind: Policy
integrations: { irc-gateway: {} } # no manifest of ours
`;
  expect(told(policy).text).toBe(
    policy
      .replace('"ci-build-server-a"', '"bamboo"')
      .replace("{ ci_url:", "{ bamboo_url:")
      .replace("[ irc-gateway", "[ irker"),
  );
});

test("a workspace states its dialect, and what it protects by name", () => {
  const neutral = `${head}kind: Workspace\nserver:\n  url: https://x # here\nprotected: ["a/*:integration/irc-gateway", "*:license/*"]\n`;
  const gitlab = neutral.replace("# here\n", "# here\n  dialect: gitlab\n").replace("irc-gateway", "irker");
  expect(told(neutral)).toEqual({ text: gitlab, left: [] });
  expect(told(gitlab, "gitlab", "neutral")).toEqual({ text: neutral, left: [] });
});

test("a workspace that leaves no place for its dialect is told", () => {
  const odd = `${head}kind: Workspace\nname: x\nserver: # nothing yet\n`;
  expect(told(odd)).toEqual({
    text: odd,
    left: ["a.yaml:1:1  server.dialect could not be added; set it to gitlab  (untranslated)"],
  });
  const bare = `${head}kind: Workspace\n`;
  expect(told(bare).text).toBe(`${bare}server:\n  dialect: gitlab\n`);
  expect(told(told(bare).text, "gitlab", "neutral").text).toBe(bare);
});

test("what cannot be certain stays, and is told with its place", () => {
  const rule = `${head}kind: Rule
when: change.key == "irc-gateway" && change.fields.ci_url != ""
except: ["*:integration/*", "a/b:integration/chat-*"]
`;
  expect(told(rule)).toEqual({
    text: rule,
    left: [
      "a.yaml:3:7  the expression names ci_url, which is bamboo_url or drone_url or teamcity_url or jenkins_url now; expressions are not rewritten  (untranslated)",
      "a.yaml:3:7  the expression names irc-gateway, which is irker now; expressions are not rewritten  (untranslated)",
      "a.yaml:4:29  a/b:integration/chat-* would match other integrations  (untranslated)",
    ],
  });
  const written = `${head}kind: Policy\ndisabled:\n  - "\\x69rc-gateway"\n  - >-\n    irc-gateway\n`;
  expect(told(written).left).toEqual([
    "a.yaml:4:5  irc-gateway is irker now; what has escapes or several lines is not replaced  (untranslated)",
    "a.yaml:5:5  irc-gateway is irker now; what has escapes or several lines is not replaced  (untranslated)",
  ]);
});

test("what would be the same name twice is refused", () => {
  const both = `${head}kind: Policy\nintegrations:\n  irc-gateway: {}\n  jenkins:\n    ci_url: x\n    jenkins_url: y\n  irker: {}\n`;
  const translated = translate("a.yaml", both, "neutral", "gitlab");
  expect("problems" in translated && translated.problems.map(problemLine)).toEqual([
    "a.yaml:7:5  integrations.jenkins.jenkins_url  duplicate key in dialect gitlab; the first is at line 6  (yaml)",
    "a.yaml:8:3  integrations.irker  duplicate key in dialect gitlab; the first is at line 4  (yaml)",
  ]);
});

test("names of the other dialect that are there already are taken as they are", () => {
  const half = `${head}kind: Policy\nintegrations: { asana: {}, irc-gateway: {}, bamboo: { ci_url: x } }\n`;
  const whole = half.replace("irc-gateway", "irker").replace("ci_url", "bamboo_url");
  expect(told(half).text).toBe(whole);
  expect(told(half, "gitlab").text).toBe(whole);
  expect(told(whole, "gitlab").text).toBe(whole);
});

describe("there and back", () => {
  const { integrations } = catalogueOf();
  const slugs = [...integrations.keys()];
  const scalar = fc.constantFrom('"x"', "true", "3", "{ secret: env:X }", '"${vars.x}"');
  const quoted = (word: string) => fc.constantFrom(word, `"${word}"`, `'${word}'`);
  const comment = fc.constantFrom("", "", " # irc-gateway", "\n  # slack\n");
  const entry = fc.constantFrom(...slugs).chain((slug) => {
    const names = [...(integrations.get(slug)?.parameters.keys() ?? [])];
    const field = fc.constantFrom(...names).chain((name) => fc.tuple(quoted(name), scalar));
    return fc
      .tuple(
        quoted(slug),
        fc.uniqueArray(field, { selector: ([name]) => name.replace(/["']/g, "") }),
        comment,
        fc.boolean(),
      )
      .map(([key, fields, note, flow]) => {
        const pairs = fields.map(([name, value]) => `${name}: ${value}`);
        return flow || pairs.length === 0
          ? `  ${key}: { ${pairs.join(" , ")} }${note}\n`
          : `  ${key}:${note.includes("\n") ? "" : note}\n${pairs.map((pair) => `     ${pair}\n`).join("")}`;
      });
  });
  const policy = fc
    .tuple(
      fc.uniqueArray(entry, { selector: (text) => /[a-z][\w-]*/.exec(text)?.[0], minLength: 1, maxLength: 6 }),
      fc.subarray(slugs, { maxLength: 4 }),
      fc.constantFrom("\n", "\r\n"),
    )
    .map(([entries, off, end]) =>
      `${head}kind: Policy\nname: x\nintegrations:\n${entries.join("")}disabled: [${off.join(", ")}]\n`.replaceAll(
        "\n",
        end,
      ),
    );

  test("gives the same bytes, and the way there leaves no name behind", () => {
    fc.assert(
      fc.property(policy, (text) => {
        const there = told(text);
        expect(there.left).toEqual([]);
        expect(told(there.text).text).toBe(there.text);
        expect(told(there.text, "gitlab", "neutral")).toEqual({ text, left: [] });
      }),
    );
  });
});

test.each([
  "dialect: &name neutral\n  tier: ultimate",
  "dialect: >-\n    neutral",
  'dialect: "neutr\\x61l"',
  "url: &name neutral\n  dialect: *name",
])("a dialect that is written as %j is told, and stays", (body) => {
  const text = `${head}kind: Workspace\nserver:\n  ${body}\n`;
  expect(told(text)).toEqual({
    text,
    left: ["a.yaml:1:1  server.dialect could not be added; set it to gitlab  (untranslated)"],
  });
});
