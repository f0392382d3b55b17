import { expect, test } from "vitest";
import { planDigest } from "../../src/plan/plan.ts";
import { scene } from "./workspace.ts";

const projects = [{ path: "p", licenses: { MIT: "allowed", WTFPL: "denied", Old: "denied" } }];

test("apply and drift refuse to loosen where they are asked to, before any write; a tampered plan hides nothing", async () => {
  const { evenkeel, read, write, policy } = await scene({ projects });
  policy({ projects: ["p"], licenses: { MIT: "denied", WTFPL: "allowed" } });
  const drifted = await evenkeel("drift", "--fail-on-loosening");
  expect(drifted).toMatchObject({
    code: 3,
    stderr: "error: blocked by --fail-on-loosening: p:license/WTFPL.\n",
    writes: 0,
  });
  await evenkeel("plan", "--out", "plan.json");
  const why = "--fail-on-loosening failed: 1 change loosens a policy (p:license/WTFPL)";
  const kinds = ["markdown", "html", "json", "sarif", "junit", "github", "codequality"];
  const files = kinds.flatMap((kind) => ["--report", `${kind}=report.${kind}`]);
  for (const args of [["--yes"], ["plan.json"], ["--dry-run"]]) {
    const refused = await evenkeel("apply", ...args, "--fail-on-loosening", ...files);
    expect(refused).toMatchObject({ code: 3, writes: 0 });
    expect(refused.stdout).toContain(why);
    expect(kinds.filter((kind) => !read(`report.${kind}`).includes("--fail-on-loosening failed"))).toEqual([]);
  }
  expect((await evenkeel("apply", "--yes", "--fail-on-loosening")).stderr).toBe(
    "error: blocked by --fail-on-loosening; nothing was written.\n",
  );
  const plan = JSON.parse(read("plan.json"));
  const hidden = plan.resource_changes.find(({ key }: { key: string }) => key === "WTFPL");
  hidden.change.after = { approval_status: "denied" };
  write("plan.json", JSON.stringify({ ...plan, digest: planDigest(plan) }));
  const tampered = await evenkeel("apply", "plan.json", "--fail-on-loosening");
  expect(tampered).toMatchObject({ code: 3, writes: 0 });
  expect(tampered.stdout).toContain(why);
});
