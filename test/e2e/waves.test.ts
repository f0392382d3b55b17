import { expect, test } from "vitest";
import { scene } from "./workspace.ts";

test.each(["TEAM/b", "Team/B", 2, "Team/B*", "tEAM/?"])(
  "a canary is the project under each of its names: %s",
  async (canary) => {
    const named = [
      { id: 1, path: "a/a" },
      { id: 2, path: "Team/B" },
      { id: 3, path: "c/c" },
    ];
    for (const selector of ["**", "TEAM/B", 2]) {
      const body = { projects: [selector, "a/a", 3], licenses: { MIT: "allowed" } };
      const { evenkeel } = await scene({ projects: named, policy: body, workspace: { canary: [canary] } });
      const { code, stderr, plan } = await evenkeel("apply", "--yes", "--report", "json");
      const first = plan().resource_changes.filter(({ wave }) => wave === 1);
      expect([code, stderr, first.map(({ project }) => project.toLowerCase())]).toEqual([0, "", ["team/b"]]);
    }
  },
);
