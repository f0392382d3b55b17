import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { adopt } from "../../src/adopt.ts";
import { connectReader } from "../../src/client/client.ts";
import { policyText } from "../../src/import/policy.ts";
import { type Fleet, fleet } from "../laws/fleet.ts";
import { changesOf, inSync, law, onStage, type Stage, token, withoutPauses } from "../laws/stage.ts";
import { canary } from "../laws/values.ts";

withoutPauses();

/** Imports everything into the stage's workspace, in place of the manifests that are there; returns their text. */
async function importAll(stage: Stage, generated: Fleet): Promise<string> {
  stage.write({ ...generated, policies: [] }, { behaviour: "spec" });
  const options = { url: stage.server.url, token, concurrency: 4, requestTimeout: 2000 };
  const reader = await connectReader(options);
  const scope = { platform: generated.platform, workers: 4 };
  const { drafts, problems } = await adopt(reader, { names: [], all: true, groups: [] }, scope);
  await reader.close();
  expect(problems).toEqual([]);
  const texts = drafts.map((draft) => [draft.file, policyText(draft, "manifest.schema.json")] as const);
  for (const [file, text] of texts) {
    mkdirSync(dirname(join(stage.folder, "policies", file)), { recursive: true });
    writeFileSync(join(stage.folder, "policies", file), text);
  }
  return texts.map(([, text]) => text).join("---\n");
}

describe.each(["spec", "observed"] as const)("behaviour %s", (behaviour) => {
  test("what was imported plans as empty, without a warning, and no secret stands in it", async () => {
    await law(25, [fleet()], async (generated) => {
      await onStage(generated, { behaviour }, async (stage) => {
        const text = await importAll(stage, generated);
        expect(text).not.toContain(canary);
        const planned = await stage.plan();
        expect({ ...(changesOf(planned) as object), text }).toEqual({ ...inSync, text });
        expect(planned.plan.warnings.filter(({ rule }) => rule !== "unused")).toEqual([]);
      });
    });
  });
});
