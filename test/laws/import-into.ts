import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { kindsToImport } from "../../src/author/import/chosen-projects.ts";
import { type ImportChoice, importProjects } from "../../src/author/import/import-projects.ts";
import { policyFileText } from "../../src/author/import/policy.ts";
import { grouped } from "../../src/base/grouped.ts";
import { connectReader } from "../../src/client/client.ts";
import type { Fleet } from "./fleet.ts";
import { type Stage, token } from "./stage.ts";

/** Imports projects into the stage's workspace, in place of the manifests that are there; returns their text. */
export async function importInto(stage: Stage, generated: Fleet, choice: Partial<ImportChoice>): Promise<string> {
  stage.write({ ...generated, policies: [] }, { behaviour: "spec" });
  const options = {
    url: stage.server.url,
    token,
    concurrency: 4,
    requestTimeout: 60_000,
    dialect: generated.platform.dialect,
  };
  const reader = await connectReader(options);
  const { catalogue } = reader;
  const kinds = kindsToImport(undefined, ["project"], catalogue, generated.platform);
  const scope = { platform: generated.platform, workers: 4, kinds };
  const { drafts, problems } = await importProjects(
    reader,
    { names: [], all: false, groups: [], factor: false, secrets: "by-project", ...choice },
    scope,
  );
  await reader.close();
  expect(problems).toEqual([]);
  const files = grouped(drafts, ({ file }) => file);
  const texts = [...files].map(
    ([file, each]) => [file, policyFileText(each, "manifest.schema.json", catalogue)] as const,
  );
  for (const [file, text] of texts) {
    mkdirSync(dirname(join(stage.folder, "policies", file)), { recursive: true });
    writeFileSync(join(stage.folder, "policies", file), text);
  }
  return texts.map(([, text]) => text).join("---\n");
}
