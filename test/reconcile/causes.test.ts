import { describe, expect, test } from "vitest";
import { stage } from "../support/stage.ts";

describe("the cause of a variable that differs, with a ledger", () => {
  const literal = (value: string) => ({ value });
  const secret = { value: { secret: "env:TOKEN" }, masked: true };

  test.each([
    ["a literal, changed on the server", literal("first"), "other-value", "drift"],
    ["a literal, changed in the manifests", literal("second"), "first", "pending"],
    ["a literal, changed on both sides", literal("second"), "other-value", "both"],
    ["a secret, changed on the server", { TOKEN: "first-value" }, "other-value", "drift"],
    ["a secret, rotated", { TOKEN: "second-value" }, "first-value", "pending"],
    ["a secret, changed on both sides", { TOKEN: "second-value" }, "other-value", "both"],
  ])("%s", async (_, declared, live, cause) => {
    const isSecret = "TOKEN" in declared;
    const secrets = { TOKEN: "first-value" };
    const { policy, apply, plan, ask, environment } = await stage({
      projects: [{ path: "g/a" }],
      site: { dialect: "gitlab", release: "17.5" },
      release: "17.5",
      workspace: { ledger: "ledger.ndjson" },
      policy: { projects: ["g/a"], variables: { X: isSecret ? secret : literal("first") } },
      secrets,
    });
    await apply();
    if (!isSecret) policy({ projects: ["g/a"], variables: { X: declared } });
    await ask("PUT", "/projects/g%2Fa/variables/X", { json: { value: live } });
    const env = isSecret ? { ...environment, ...declared } : environment;
    const { resource_changes } = (await plan({ env })).plan;
    expect(resource_changes.map((each) => each.cause)).toEqual([cause]);
  });
});
