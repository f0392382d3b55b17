import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import gitlabform from "../../schemas/coming-from/gitlabform.json" with { type: "json" };
import terraform from "../../schemas/coming-from/terraform.json" with { type: "json" };
import { kindInSection, rulesOf } from "../../src/author/import/from/field-table.ts";
import type { SectionTable } from "../../src/author/import/from/gitlabform/configuration.ts";
import { importGitlabform } from "../../src/author/import/from/gitlabform/import.ts";
import { importTerraform } from "../../src/author/import/from/terraform/import.ts";
import { policyFileText } from "../../src/author/import/policy.ts";
import { parseManifest } from "../../src/manifest/document.ts";
import { readPolicies } from "../../src/manifest/policies.ts";
import { defaultWorkspace } from "../../src/manifest/workspace.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";

interface Case {
  readonly release?: string;
  readonly dialect?: string;
  readonly files: Readonly<Record<string, string>>;
}

const folder = join(import.meta.dirname, "../cases/import");
const casesIn = (tool: string): Readonly<Record<string, Case>> =>
  parse(readFileSync(join(folder, `${tool}.yaml`), "utf8"));

/** The policies that a case comes to, and what is left out of them. */
async function formatCase(tool: string, { release = "18.0", dialect = "gitlab", files }: Case): Promise<string> {
  const catalogue = catalogueOf(dialect);
  const platform = { release, ...(dialect === "gitlab" && { dialect }) };
  const choice = { catalogue, platform, secrets: "by-project" } as const;
  const texts = Object.entries(files).map(([name, text]) => ({ name, text }));
  const [first = { name: "", text: "" }] = texts;
  const { drafts, problems } =
    tool === "terraform" ? await importTerraform(texts, choice) : importGitlabform(first, choice);
  const text = drafts.length > 0 ? policyFileText(drafts, "manifest.schema.json", catalogue) : "";
  const { documents } = parseManifest("a.yaml", text);
  const server = { ...defaultWorkspace.server, release, dialect };
  const read = readPolicies({ documents, workspace: { ...defaultWorkspace, catalogue, server } });
  expect(read.problems.filter(({ severity }) => severity === "error")).toEqual([]);
  const lines = problems.map(({ severity, place, rule, message }) => {
    const at = place ? `${place.file}:${place.line}:${place.column}` : "";
    return `! ${severity} ${at} ${message} (${rule})\n`;
  });
  return `${text.replace(/^#.*\n/, "")}${lines.join("")}`;
}

test.each(["terraform", "gitlabform"])("cases of %s come to their golden policies", async (tool) => {
  const parts: string[] = [];
  for (const [name, each] of Object.entries(casesIn(tool))) parts.push(`## ${name}\n${await formatCase(tool, each)}`);
  const text = parts.join("\n");
  expect(text).not.toMatch(/CANARY(?!x)/);
  await expect(text).toMatchFileSnapshot(join(folder, `${tool}.txt`));
});

test("every section that a table names is one of policies, and every field it leads to is one of its kind", () => {
  const choice = { catalogue: catalogueOf("gitlab"), platform: { release: "18.0", dialect: "gitlab" } } as const;
  const tables = Object.entries({ ...gitlabform.sections, ...terraform.resources } as Record<string, SectionTable>);
  const all = tables.flatMap(([name, { parts = {}, ...own }]) => [
    ...(own.section ? [[name, own] as const] : []),
    ...Object.entries(parts).map(([path, part]) => [`${name}.${path}`, part] as const),
  ]);
  const wrong = all.flatMap(([name, table]) => {
    const properties = choice.catalogue.kinds.get(kindInSection(choice, table))?.file?.fields.properties ?? {};
    const renamed = Object.entries(table.like ? {} : rulesOf(table)).flatMap(([field, rule]) =>
      rule && rule.left === undefined ? [rule.as ?? field, ...(rule.into ? [rule.into] : [])] : [],
    );
    const named = [...renamed, ...(table.key ? [table.key] : [])];
    return named.filter((field) => !(field in properties)).map((field) => `${name}.${field}`);
  });
  expect(wrong).toEqual([]);
});
