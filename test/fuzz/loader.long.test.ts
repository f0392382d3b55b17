import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { desiredOf } from "../../src/manifest/layers.ts";
import { needsLookup, projectsOf } from "../../src/manifest/projects.ts";
import { hasErrors, validate } from "../../src/manifest/validate.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { problemLine } from "../../src/model/problem-line.ts";
import { parseChaos } from "../../src/server/chaos.ts";
import { parseSeed } from "../../src/server/seed.ts";
import { loadWorkspace } from "../../src/workspace/load.ts";
import { tempFolder } from "../support/folder.ts";

const { integrations } = catalogueOf();

let folder = "";
beforeAll(() => {
  folder = tempFolder();
  mkdirSync(join(folder, "policies"));
});

const workspace = "apiVersion: evenkeel/v1\nkind: Workspace\n";

/** Loads, validates and works out what is wanted, and checks that every problem has a place that exists. */
function check(policy: string | Uint8Array, head: string | Uint8Array = workspace): readonly string[] {
  writeFileSync(join(folder, "evenkeel.yaml"), head);
  writeFileSync(join(folder, "policies/one.yaml"), policy);
  const { policies, problems } = validate(loadWorkspace(folder));
  const lines = { "evenkeel.yaml": linesIn(head), "policies/one.yaml": linesIn(policy) };
  const misplaced = problems.filter(({ place }) => {
    const most = lines[place?.file as keyof typeof lines] ?? 0;
    return !place || place.line < 1 || place.column < 1 || place.line > most;
  });
  expect(misplaced).toEqual([]);
  expect(problems.map(problemLine).filter((line) => /\p{Cc}/u.test(line))).toEqual([]);
  if (!hasErrors(problems)) {
    const listing = [{ id: 1, path: "a/b", name: "a/b" }];
    const { projects } = projectsOf(policies, needsLookup(policies) ? listing : undefined);
    for (const project of projects) desiredOf(policies, project);
  }
  return problems.map(({ rule }) => rule);
}

function linesIn(text: string | Uint8Array): number {
  return (
    Buffer.from(text)
      .toString()
      .split(/\r\n?|\n/).length + 1
  );
}

const head = "apiVersion: evenkeel/v1\nkind: Policy\nname: p\nprojects: [a/b]\n";

const names = [
  ...["apiVersion", "kind", "name", "projects", "except", "priority", "vars", "integrations", "disabled", "licenses"],
  ...["exclusive", "secret", "version", "__proto__", "constructor", "toString", "hasOwnProperty", "<<", "", "a/b"],
  ...["irc-gateway", "issue-tracker-full", "chat-notifications-a", "recipients", "server_port", "active", "webhook"],
];

const scalar = fc.oneof(
  fc.constantFrom<unknown>(
    ...["evenkeel/v1", "Policy", "Workspace", "StorageMigration", "${vars.a}", "${", "$${", "env:X", "**", "["],
    "{a,",
  ),
  fc.constantFrom<unknown>(
    null,
    true,
    1e308,
    -0,
    Number.NaN,
    42,
    "042",
    "!",
    "*",
    "(((((",
    "\u0000",
    "\ud800",
    "x".repeat(5000),
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.integer(),
  fc.double(),
);

/** Anything at all under names that mean something. */
const { document } = fc.letrec<{ document: unknown; value: unknown }>((tie) => ({
  document: fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 8 }),
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 5 })), tie("value"), { maxKeys: 5 }),
  ),
}));

const policyOf = (value: unknown) => ({
  apiVersion: "evenkeel/v1",
  kind: "Policy",
  name: "p",
  projects: ["a/b"],
  ...(value as object),
});

describe("whatever a manifest holds, it is read, and what is wrong has its place", () => {
  test("any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => void check(text)),
      { numRuns: 120 },
    );
  });

  test("any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => void check(bytes)),
      { numRuns: 80 },
    );
  });

  test("pieces of YAML in any order", () => {
    const piece = fc.constantFrom(
      ...[
        ...["a", ": ", "- ", "\n", "  ", "&x ", "*x", "!!str ", "!x ", "? ", "| ", ">-\n", "{", "}", "[", "]", ","],
        ...["#", "'", '"', "\t"],
      ],
      ...[
        "---\n",
        "...\n",
        "%YAML 1.2\n",
        "<<: ",
        "\u2028",
        "\uFEFF",
        "\r\n",
        "${vars.",
        "null",
        "0x1",
        head,
        "integrations:\n",
        "licenses:\n",
      ],
    );
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, fc.boolean(), (body, headed) => void check(headed ? head + body : body)),
      { numRuns: 400 },
    );
  });

  test("any value, under any known name", () => {
    fc.assert(
      fc.property(
        document,
        fc.boolean(),
        (value, headed) => void check(JSON.stringify(headed ? policyOf(value) : value)),
      ),
      { numRuns: 300 },
    );
  });

  test("any value as a parameter of any integration", () => {
    const slugs = [...integrations.values()];
    const entry = fc
      .constantFrom(...slugs)
      .chain(({ slug, parameters }) =>
        fc
          .dictionary(fc.constantFrom(...parameters.keys()), fc.oneof(scalar, document))
          .map((fields) => ({ [slug]: fields })),
      );
    fc.assert(
      fc.property(entry, (fields) => void check(JSON.stringify(policyOf({ integrations: fields })))),
      { numRuns: 160 },
    );
  });

  test("any value as a workspace", () => {
    const keys = [
      ...["server", "manifests", "concurrency", "requestTimeout", "guards", "protected", "ledger", "url", "tier"],
      "release",
    ];
    const value = fc.dictionary(
      fc.constantFrom(...keys),
      fc.oneof(scalar, document, fc.array(scalar, { maxLength: 3 })),
    );
    fc.assert(
      fc.property(value, (fields) => {
        check(head, JSON.stringify({ ...fields, apiVersion: "evenkeel/v1", kind: "Workspace" }));
      }),
      { numRuns: 160 },
    );
  });

  test("a byte of a good manifest is changed, or one is missing", () => {
    const good = `${head}vars: { channel: "#a" }\nintegrations:\n  irc-gateway: &one\n    recipients: "\${vars.channel}"\n    server_port: 6659\nlicenses: { MIT: allowed }\nexclusive: [licenses]\n---\n${head.replace("name: p", "name: q")}disabled: [external-wiki]\npriority: 1\n`;
    expect(check(good)).toEqual([]);
    const change = fc.tuple(
      fc.nat(good.length - 1),
      fc.oneof(fc.constant(""), fc.constantFrom(..."\n\t :-[]{}#&*!|>'\"%@`,?$\\0aZ\u0000é")),
    );
    fc.assert(
      fc.property(change, ([at, by]) => void check(good.slice(0, at) + by + good.slice(at + 1))),
      { numRuns: 250 },
    );
  });
});

const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);

describe("hostile manifests", () => {
  const bomb = `a: &a0 [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 12 }, (_, i) => `b${i}: &a${i + 1} [${`*a${i},`.repeat(9)}]`).join("\n")}\n`;
  const chain = Array.from({ length: 3000 }, (_, i) => `  v${i}: "\${vars.v${i + 1}}\${vars.v${i + 1}}"`).join("\n");
  const doubling = Array.from({ length: 64 }, (_, i) => `  v${i}: "\${vars.v${i + 1}}\${vars.v${i + 1}}"`).join("\n");
  test.each([
    ["deep lists", `${head}vars: ${nested("[", "]", 50_000)}`],
    ["deep maps", `${head}vars: ${"{a: ".repeat(20_000)}1${"}".repeat(20_000)}`],
    ["deep blocks", `${head}vars:\n${Array.from({ length: 3000 }, (_, i) => `${" ".repeat(i + 1)}a:`).join("\n")}`],
    ["an alias bomb", bomb],
    ["an alias bomb in a policy", `${head}vars:\n  ${bomb.replaceAll("\n", "\n  ")}`],
    ["an alias inside itself", `${head}vars: &v { a: *v }\n`],
    ["many documents", "---\n".repeat(200_000)],
    ["many broken documents", "---\n[\n".repeat(50_000)],
    ["many duplicate keys", `${head}vars:\n${"  a: 1\n".repeat(20_000)}`],
    ["a long key", `${head}${"k".repeat(1_000_000)}: 1\n`],
    ["a wide glob", `${head.replace("a/b", `"${"*".repeat(30_000)}a"`)}disabled: [external-wiki]\n`],
    ["a glob that backtracks", `${head.replace("a/b", `"${"*a".repeat(40)}b"`)}disabled: [external-wiki]\n`],
    ["nested braces", `${head.replace("a/b", `"${"{a,".repeat(500)}b${"}".repeat(500)}"`)}disabled: [external-wiki]\n`],
    ["a range of a million", `${head.replace("a/b", '"{1..10000000}"')}disabled: [external-wiki]\n`],
    [
      "variables that double",
      `${head}vars:\n${doubling}\n  v64: xxxxxxxxxx\nintegrations: { external-wiki: { external_wiki_url: "\${vars.v0}" } }\n`,
    ],
    ["a long chain of variables", `${head}vars:\n${chain}\n`],
    [
      "interpolations without end",
      `${head}integrations: { external-wiki: { external_wiki_url: "${"${".repeat(100_000)}" } }\n`,
    ],
    ["a merge key", `${head}vars: { <<: { a: 1 }, __proto__: 2 }\n`],
    ["tags", `${head}vars: !!js/function "function(){}"\n`],
    ["a very long line of quotes", `${head}vars: { a: "${"\\x".repeat(100_000)}" }\n`],
    ["colons", `${head}${"a: ".repeat(50_000)}\n`],
    ["anchors", `${head}${"&a ".repeat(50_000)}\n`],
    ["dashes", `${"- ".repeat(50_000)}\n`],
    ["question marks", `${"? ".repeat(50_000)}\n`],
  ])("%s", (_, text) => {
    check(text);
  });
});

test("variables beyond measure are told where they stand", () => {
  const url = 'integrations: { external-wiki: { external_wiki_url: "${vars.v0}" } }\n';
  const vars = (count: number, of: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => `  v${i}: "${of(i)}"\n`).join("");
  const doubled = vars(30, (i) => `\${vars.v${i + 1}}\${vars.v${i + 1}}`);
  expect(check(`${head}vars:\n${doubled}  v30: x\n${url}`)).toEqual(["variable-size"]);
  const deep = vars(101, (i) => `a\${vars.v${i + 1}}`);
  expect(check(`${head}vars:\n${deep}  v101: x\n${url}`)).toEqual(["variable-size"]);
});

describe("seeds and faults of the embedded server", () => {
  test.each([
    ["seed", (text: string) => parseSeed(text)],
    ["chaos", (text: string) => parseChaos(text)],
  ])("a %s of any content is taken, or its problems have places", (_, parse) => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      document.map((value) => JSON.stringify(value)),
      fc.json(),
    );
    fc.assert(
      fc.property(text, (written) => {
        const parsed = parse(written);
        if (!("problems" in parsed)) return;
        expect(parsed.problems.length).toBeGreaterThan(0);
        for (const { place } of parsed.problems) expect(place?.line).toBeGreaterThanOrEqual(1);
      }),
      { numRuns: 120 },
    );
  });
});
