import fc from "fast-check";
import { describe, expect, test } from "vitest";
import table from "../../schemas/coming-from/terraform.json" with { type: "json" };
import { type FieldTable, rulesOf } from "../../src/author/import/from/field-table.ts";
import { importTerraform } from "../../src/author/import/from/terraform/import.ts";
import { policyFileText } from "../../src/author/import/policy.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import type { Problem } from "../../src/model/types.ts";

const platform = { release: "18.9", dialect: "gitlab" } as const;
const choice = { catalogue: catalogueOf("gitlab"), platform, secrets: "by-project" } as const;

const types = [
  ...Object.keys(table.resources),
  ...Object.keys(table.integrations).flatMap((name) => [
    `gitlab_integration_${name}`,
    `gitlab_group_integration_${name}`,
  ]),
];

/** What names a resource of each type, and what it needs; of no type is all of it an argument. */
const base = {
  ...{
    project: "a/b",
    project_id: "a/b",
    group: "a",
    group_id: "a",
    name: "x",
    path: "x",
    namespace_id: "${gitlab_group.top.id}",
    branch: "main",
  },
  ...{ tag: "v*", url: "https://x.test", key: "ssh-rsa AAAA", title: "t", value: "secret-value", color: "#ff0000" },
  ...{ description: "d", ref: "main", cron: "0 1 * * *", environment: "prod", approvals_required: 1 },
  ...{
    link_url: "https://x.test",
    image_url: "https://x.test",
    visibility_level: "private",
    webhook: "https://x.test",
  },
} as const;

const planted = {
  attribute: `zz_planted = "x"`,
  "attribute without a value": "zz_planted = null",
  "unknown value": "zz_planted = var.lost",
  block: "zz_planted { a = 1 }",
  "dynamic block": `dynamic "zz_planted" {\n for_each = [1]\n content { a = 1 }\n}`,
  program: `provisioner "local-exec" { command = "true" }`,
  protection: "lifecycle { prevent_destroy = true }",
} as const;

const places = fc.constantFrom(...(Object.keys(planted) as (keyof typeof planted)[]));

/** Of what a release does not have, resources are named as a whole. */
const releaseWith = (type: string) => (type === "gitlab_managed_license" ? "15.11" : platform.release);

async function problemsOf(text: string, release: string = platform.release): Promise<readonly Problem[]> {
  const top = 'resource "gitlab_group" "top" {\n name = "top"\n path = "top"\n}\n';
  const own = { ...choice, platform: { ...platform, release } };
  return (await importTerraform([{ name: "main.tf", text: `${top}${text}` }], own)).problems;
}

/** A resource with some lines at a position among its arguments, and the line of the first of them. */
function resourceWith(type: string, lines: string, at: number, head = "") {
  const own = Object.entries(base).map(([name, value]) => ` ${name} = ${JSON.stringify(value)}`);
  const before = [`resource "${type}" "r" {`, ...(head ? [` ${head}`] : []), ...own.slice(0, at)];
  return { text: [...before, lines, ...own.slice(at), "}"].join("\n"), line: 4 + before.length + 1 };
}

const linesOf = (problems: readonly Problem[]) => problems.map(({ place }) => place?.line);

/** Resources that are the project or the group itself are not deleted by policies. */
const isItself = (type: string) => type === "gitlab_project" || type === "gitlab_group";

describe("nothing of a resource is dropped silently:", () => {
  test("an argument that no kind has is named at its line, wherever it stands", async () => {
    const spread = fc.constantFrom("", 'for_each = toset(["k"])', "count = 1");
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...types), places, fc.nat(22), spread, async (type, place, at, head) => {
        fc.pre(place !== "protection" || !isItself(type));
        const { text, line } = resourceWith(type, planted[place], at, head);
        expect(linesOf(await problemsOf(text, releaseWith(type))), `${type}\n${text}`).toContain(line);
      }),
      { numRuns: 300 },
    );
  });

  const nested = Object.entries(table.resources).flatMap(([type, row]) =>
    [
      ...Object.entries(rulesOf(row as FieldTable)).flatMap(([name, rule]) => (rule?.items ? [name] : [])),
      ...Object.keys("parts" in row ? row.parts : {}),
    ].map((block) => [type, block] as const),
  );

  test.each(nested)("what stands in a block of %s, in its %s", async (type, block) => {
    for (const inner of ["zz_planted = 1", "zz_planted = var.lost", "zz_planted { a = 1 }"]) {
      const { text, line } = resourceWith(type, `${block} {\n ${inner}\n}`, 3);
      const found = linesOf(await problemsOf(text)).filter((each) => each === line || each === line + 1);
      expect(found, text).not.toEqual([]);
    }
    const dynamic = resourceWith(type, `dynamic "${block}" {\n for_each = [1]\n content { zz_planted = 1 }\n}`, 3);
    const places = linesOf(await problemsOf(dynamic.text)).filter((line = 0) => line >= dynamic.line);
    expect(Math.min(...places.map(Number))).toBeLessThanOrEqual(dynamic.line + 2);
    const ignored = resourceWith(type, `${block} { zz = 1 }`, 0, `lifecycle { ignore_changes = ["${block}"] }`);
    expect(linesOf(await problemsOf(ignored.text))).toContain(ignored.line);
  });

  test("a value that cannot be evaluated is named, and nothing stands in its place", async () => {
    const unknown = fc.constantFrom(
      ...[
        ...["var.lost", "local.lost", 'file("x")', "1 + 2", "var.lost ? 1 : 2", "[for k in var.lost : k]"],
        '"${var.lost}"',
      ],
      ...['"a ${["b"]}"', '"a ${null}"', "jsonencode({ a = 1 })", "data.gitlab_user.x.id", 'join("", [{}])'],
    );
    await fc.assert(
      fc.asyncProperty(unknown, async (written) => {
        const label = ['project = "a/b"', 'name = "bug"', 'color = "#ff0000"', `description = ${written}`].join("\n");
        const text = `resource "gitlab_label" "l" {\n${label}\n}`;
        const { drafts, problems } = await importTerraform([{ name: "main.tf", text }], choice);
        expect(linesOf(problems)).toEqual([5]);
        const file = policyFileText(drafts, "manifest.schema.json", choice.catalogue);
        expect(file).toContain("ff0000");
        expect(file).not.toContain("description");
      }),
    );
  });
});

test("an attribute of a state that no kind has is named at its place, at any depth", async () => {
  const own = {
    zz_planted: 1,
    push_rules: [{ zz_inner: 2, deny_delete_tag: true }],
    zz_block: [{ a: 1 }],
    zz_empty: [],
  };
  const attributes = { id: "17", path_with_namespace: "g/p", description: "", ...own };
  const project = { mode: "managed", type: "gitlab_project", name: "p", instances: [{ attributes }] };
  const text = JSON.stringify({ version: 4, resources: [project] }, null, 1);
  const { problems } = await importTerraform([{ name: "terraform.tfstate", text }], choice);
  const lineOf = (name: string) => text.slice(0, text.indexOf(`"${name}"`)).split("\n").length;
  const named = ["zz_planted", "push_rules", "zz_block", "zz_empty"].map(lineOf);
  expect(linesOf(problems)).toEqual(expect.arrayContaining(named));
  expect(problems).toHaveLength(named.length);
});

test("of what no kind is about, every resource is named with its place", async () => {
  const members = [1, 2, 3].map((n) => `resource "gitlab_group_access_token" "m${n}" {\n group = ${n}\n}`);
  const [problem] = (await problemsOf(members.join("\n"))).filter(({ message }) => message.includes("token"));
  expect(problem).toMatchObject({
    place: { file: "main.tf", line: 5, column: 1 },
    message:
      "gitlab_group_access_token is left out (3 resources, also at main.tf:8:1, main.tf:11:1): the server answers a token once, and policies have no place for it",
  });
});
