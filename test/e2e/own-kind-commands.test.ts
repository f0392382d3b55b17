import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root as repository } from "../readme.ts";
import { folder } from "../support/folder.ts";
import { runProgram } from "./program.ts";

test("the schemas for editors know the kinds that a workspace describes", async () => {
  const { root } = folder();
  cpSync(join(repository, "examples/own-kind"), root, { recursive: true });
  expect((await runProgram(["schema", "schemas"], root)).code).toBe(0);
  const schema = JSON.parse(readFileSync(join(root, "schemas/manifest.schema.json"), "utf8"));
  const { freeze_periods, exclusive } = schema.definitions.Policy.properties;
  expect(JSON.stringify(freeze_periods)).toContain("cron_timezone");
  expect(JSON.stringify(exclusive)).toContain("freeze_periods");
});
