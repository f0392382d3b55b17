import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root as repository } from "../readme.ts";
import { folder } from "../support/folder.ts";
import { runProgram } from "./program.ts";

function workspace(): string {
  const { root } = folder();
  cpSync(join(repository, "examples/own-kind"), root, { recursive: true });
  return root;
}

const output = async (at: string, ...args: string[]) => {
  const { code, stdout } = await runProgram(args, at);
  expect(code, args.join(" ")).toBe(0);
  return stdout;
};

describe("kinds that a workspace describes are known to", () => {
  test("explain, in any dialect, even if another manifest is broken", async () => {
    const root = workspace();
    writeFileSync(join(root, "policies/broken.yaml"), "kind: [");
    expect(await output(root, "explain", "freeze_periods")).toContain("Periods during which nothing is deployed.");
    expect(await output(root, "explain", "freeze_period.freeze_end")).toContain("in the same format");
    expect(await output(root, "explain", "freeze_periods", "--dialect", "gitlab")).toContain("cron_timezone");
    expect(await output(root, "explain", "--kinds")).toContain("freeze_periods");
    expect(await output(folder().root, "explain", "-C", root, "--kinds")).toContain("freeze_periods");
    const described = join(root, "kinds/freeze_periods.yaml");
    const bare = readFileSync(described, "utf8").replace(/^(?:title|description): .*\n|, description: .*(?= \})/gm, "");
    writeFileSync(described, bare);
    for (const named of ["freeze_periods", "freeze_periods.freeze_end"])
      expect(await output(root, "explain", named)).not.toContain("\n\n\n");
  });

  test("completion of sections and targets", async () => {
    const root = workspace();
    expect(await output(root, "__complete", "--", "explain", "free")).toContain("freeze_periods\t");
    expect(await output(root, "__complete", "--", "import", "--all", "--kinds", "fr")).toBe(
      "freeze_periods\tPeriods during which nothing is deployed.\n",
    );
    const policy = join(root, "policies/weekends.yaml");
    writeFileSync(policy, readFileSync(policy, "utf8").replace("payments/*", "payments/api"));
    const targets = await output(root, "__complete", "--", "plan", "--target", "payments/api:");
    expect(targets).toContain("payments/api:freeze_period/0 18 * * 5");
  });

  test("the schemas for editors", async () => {
    const root = workspace();
    await output(root, "schema", "schemas");
    const schema = JSON.parse(readFileSync(join(root, "schemas/manifest.schema.json"), "utf8"));
    const { freeze_periods, exclusive } = schema.definitions.Policy.properties;
    expect(JSON.stringify(freeze_periods)).toContain("cron_timezone");
    expect(JSON.stringify(exclusive)).toContain("freeze_periods");
  });

  test("fmt, which sorts the fields of a resource, and the keys of the kind itself", async () => {
    const root = workspace();
    expect(await output(root, "fmt", "--check")).toBe("");
    const policy = join(root, "policies/weekends.yaml");
    const [kind, written] = [join(root, "kinds/freeze_periods.yaml"), readFileSync(policy, "utf8")];
    const described = readFileSync(kind, "utf8");
    writeFileSync(policy, `exclusive: [freeze_periods]\n${written.replace("exclusive: [freeze_periods]\n", "")}`);
    writeFileSync(kind, described.replace("of: project\n", "").concat("of: project\n"));
    await output(root, "fmt");
    expect([readFileSync(policy, "utf8"), readFileSync(kind, "utf8")]).toEqual([written, described]);
  });
});
