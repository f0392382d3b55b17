import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { runProcess } from "../support/processes.ts";
import { scene, token } from "./workspace.ts";

test.each(["explain --report json", "--help", "deprecations"])(
  "a reader that stops reading %s hears no complaint",
  async (line) => {
    const program = `"${process.execPath}" "${join(inject("build"), "cli.js")}"`;
    const { stdout, stderr } = await runProcess("bash", ["-c", `${program} ${line} | { exec 0<&-; sleep 0.5; }`]).ended;
    expect({ stdout, stderr }).toEqual({ stdout: "", stderr: "" });
  },
);

test("a plan goes through a pipe: - is stdout for --out, alone on it, and stdin for apply and merge", async () => {
  const { root, evenkeel } = await scene({
    projects: [{ path: "p" }],
    policy: { projects: ["p"], licenses: { MIT: "allowed" } },
  });
  const { stdout: plan } = await evenkeel("plan", "--out", "-");
  expect(JSON.parse(plan)).toMatchObject({ digest: expect.stringMatching(/^sha256:/), summary: { create: 1 } });
  const program = `"${process.execPath}" "${join(inject("build"), "cli.js")}"`;
  const piped = `${program} plan --out - | ${program} merge - --out - | ${program} apply -`;
  const env = { PATH: process.env.PATH, HOME: root, EVENKEEL_TOKEN: token };
  const { code, stdout, stderr } = await runProcess("bash", ["-c", piped], { cwd: root, env }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.trimEnd().split("\n").at(-1)).toBe("Apply: 1 applied.");
});
