import { describe, expect, test } from "vitest";
import { scene } from "./workspace.ts";

const observed = { dialect: "gitlab", release: "17.9", behaviour: "observed", tier: "ultimate" } as const;
const site = { dialect: "gitlab", release: "17.9", tier: "ultimate" };

describe("kinds of groups", () => {
  test("are counted as groups in words", async () => {
    const policies = {
      groups: {
        groups: ["payments", "web"],
        badges: { ci: { link_url: "https://a.test", image_url: "https://b.test" } },
      },
    };
    const groups = [{ path: "payments" }, { path: "web" }];
    const { evenkeel } = await scene({ ...observed, site, seed: { groups }, policies });
    const planned = await evenkeel("plan");
    expect(planned.stdout).toContain("+ 2 groups: badge/ci created");
    expect((await evenkeel("unmanaged")).stdout).toContain("Nothing unmanaged in 2 groups.");
    await evenkeel("apply", "--yes");
    expect((await evenkeel("plan")).stdout).toContain("No changes: 2 groups in sync.");
  });
});
