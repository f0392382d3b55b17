import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scene } from "./workspace.ts";

const canary = "CANARY-of-a-hook";

/** 5 groups of 8 projects as hands leave them: a hook a group, some events off, one rule for all, and a few exceptions. */
const groups = ["mobile", "payments", "platform", "search", "shop"].map((group, index) =>
  ["api", "core", "docs", "gateway", "jobs", "reports", "tools", "web"].map((name) => {
    const path = `${group}/${name}`;
    const bugs = `https://bugs.example.com/${path}`;
    return {
      path,
      integrations: {
        "issue-tracker-links-a": { new_issue_url: `${bugs}/new`, issues_url: `${bugs}/:id`, project_url: bugs },
        "chat-notifications-a": {
          webhook: `${canary}-${group}`,
          branches_to_be_notified: "all",
          push_events: index % 2 === 0,
          job_events: false,
          pipeline_events: true,
        },
        ...(path === "shop/docs" && { "irc-gateway": { recipients: "#docs" } }),
      },
      licenses: {
        "Apache-2.0": "approved",
        MIT: "approved",
        "SSPL-1.0": path === "mobile/core" ? "approved" : "denied",
      },
    };
  }),
);

test.each(["spec", "observed"] as const)(
  "40 projects in 5 groups become what a person would write: %s",
  async (behaviour) => {
    const { evenkeel, files, root } = await scene({ behaviour, projects: groups.flat() });
    const lines = (texts: readonly (readonly string[])[]) => texts.join("").split("\n").length - 1;
    expect(await evenkeel("import", "--all", "--out", "apart")).toMatchObject({ code: 0, writes: 0 });
    const apart = Object.entries(files()).filter(([path]) => path.startsWith("apart/"));
    expect([apart.length, lines(apart) > 800]).toEqual([40, true]);
    rmSync(join(root, "apart"), { recursive: true });

    const ran = await evenkeel("import", "--all", "--factor", "--secrets", "by-group");
    expect(ran).toMatchObject({ code: 0, stderr: "", writes: 0 });
    expect(ran.stdout).toContain("Wrote 8 policies in 6 files:");
    expect(ran.stdout).toMatch(
      /env:SHOP_CHAT_NOTIFICATIONS_A_WEBHOOK +shop\/\*\*:integration\/chat-notifications-a webhook\n/,
    );
    const texts = Object.entries(files()).filter(([path]) => path.startsWith("policies/"));
    expect(texts.map(([path]) => path.slice(9)).sort()).toEqual([
      "mobile.yaml",
      "payments.yaml",
      "platform.yaml",
      "search.yaml",
      "shared.yaml",
      "shop.yaml",
    ]);
    expect(lines(texts)).toBeLessThanOrEqual(100);
    expect(JSON.stringify([ran, files()])).not.toContain(canary);
    const planned = await evenkeel("plan", "--report", "json", "--detailed-exitcode");
    expect(planned).toMatchObject({ code: 0, stderr: "" });
    expect(planned.plan().summary).toMatchObject({ projects: 40, unmanaged: 0 });
  },
);
