import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { catalogueOf } from "../../src/model/catalogue.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { planHtml } from "../../src/report/html/report-page.ts";
import { tempFolder } from "../support/folder.ts";
import { installed, lacks } from "../support/needs.ts";
import { fieldsOf, largePlan, planned, planWith } from "../support/plans.ts";
import { minutes } from "../support/until.ts";

const hostile = `</script><script>window.taken = 1</script><img src=x onerror="window.taken = 1">{{plan}}`;
const link = "javascript:window.taken=1";

const small = planWith({
  changes: [
    planned("payments/api", "chat", "update", {
      change: fieldsOf(
        "update",
        { url: "https://old.test/hook", port: 6659, silent: "" },
        { url: "https://new.test/hook", port: 6667, token: { secret: "env:CHAT_TOKEN" }, silent: "true" },
      ),
    }),
    planned("payments/api", "mail", "create", { source: { file: "policies/mail.yaml", line: 31, column: 3 } }),
    planned("payments/api-docs", "chat", "update"),
    planned("payments/ledger", "chat", "disable", { action_reason: "declared absent" }),
    planned("payments/ledger", "Bad License", "delete", { kind: "license" }),
  ],
  objections: [
    { guard: "protected", message: "a protected license", addresses: ["payments/ledger:license/Bad License"] },
  ],
  problems: [{ rule: "unreadable", message: "404 Not Found", project: "payments/old" }],
  warnings: [{ rule: "deprecated", message: "write channels", file: "policies/base.yaml", line: 3, column: 1 }],
  unverified: [{ address: "payments/api:integration/chat", fields: ["password"] }],
});

describe("the file", () => {
  const html = planHtml(small, catalogueOf());

  test("lets run its own script and style, and nothing else", () => {
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? "";
    const hashes = [/<script type="module">(.*?)<\/script>/s, /<style>(.*?)<\/style>/s].map((part) => {
      return `'sha256-${createHash("sha256")
        .update(part.exec(html)?.[1] ?? "")
        .digest("base64")}'`;
    });
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src ${hashes[0]};`);
    expect(policy).toContain(`style-src ${hashes[1]};`);
    expect(policy).not.toContain("unsafe");
  });

  test("contains every change as text, and nothing in it can end an element", () => {
    const change = planned(hostile, hostile, "update", { action_reason: hostile });
    const made = planHtml(planWith({ changes: [change, ...largePlan().resource_changes] }), catalogueOf());
    expect(made).not.toContain("<img");
    expect(made.match(/<\/script/g)).toHaveLength(1);
    expect(made.match(/data-facets=/g)).toHaveLength(3_001);
  });
});

const executablePath = installed("chromium") ?? "";

describe.skipIf(lacks("chromium"))("in a browser (needs chromium)", () => {
  const folder = tempFolder();
  let browser: Browser;
  let context: BrowserContext;
  let requests: string[] = [];
  let errors: string[] = [];

  beforeAll(async () => {
    const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-sync"];
    browser = await chromium.launch({ executablePath, timeout: minutes, args });
    context = await browser.newContext();
  });

  afterAll(() => browser.close());

  afterEach(async () => {
    for (const page of context.pages()) await page.close();
    expect(errors).toEqual([]);
    requests = [];
    errors = [];
  });

  /** Opens the report as a reader does: a file on a disk. */
  async function open(plan: Plan, hash = ""): Promise<Page> {
    const file = join(folder, "plan.html");
    writeFileSync(file, planHtml(plan, catalogueOf()));
    const page = await context.newPage();
    page.setDefaultTimeout(minutes);
    page.on("request", (request) => requests.push(request.url()));
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await page.goto(`${pathToFileURL(file).href}${hash}`);
    return page;
  }

  const rowsOf = (page: Page) => page.locator(".rows > li:not([hidden])");
  const namesOf = (page: Page) => rowsOf(page).locator(".name").allTextContents();
  const countOf = (page: Page) => page.locator("#count").textContent();
  const hashOf = (page: Page) => page.evaluate<string>("location.hash");

  test("opens from a disk, loads nothing, and has its landmarks", async () => {
    const page = await open(small);
    for (const role of ["banner", "main", "search", "contentinfo", "status"] as const) {
      expect(await page.getByRole(role).count(), role).toBe(1);
    }
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Blocked by protected");
    expect(await page.locator("header .lead").textContent()).toBe("5 changes in 3 of 7 projects");
    expect(await page.title()).toBe("Plan: Blocked by protected; 5 changes in 3 of 7 projects");
    expect(await page.getByRole("searchbox", { name: "Search" }).count()).toBe(1);
    expect(await page.getByRole("searchbox", { name: "Project" }).count()).toBe(1);
    expect(requests.filter((url) => !url.startsWith("data:"))).toEqual([page.url()]);
  });

  test("shows deletes and disables first, and of each change fields, reason, place and request", async () => {
    const page = await open(small);
    expect(await namesOf(page)).toEqual([
      "license/Bad License",
      "integration/chat",
      "integration/mail",
      "integration/chat",
      "integration/chat",
    ]);
    const change = page
      .getByRole("region", { name: /To update/ })
      .locator("li")
      .first();
    await change.locator("tbody tr").first().waitFor();
    expect(await change.locator("tbody tr").allTextContents()).toEqual([
      "port66596667",
      'silent"""true"',
      "tokennot reportedsecret env:CHAT_TOKEN",
      "urlhttps://old.test/hookhttps://new.test/hook",
    ]);
    expect(await change.locator("td.before mark").allTextContents()).toEqual(["old"]);
    expect(await change.locator(".detail").textContent()).toContain("declared parameters differ");
    expect(await change.locator(".origin").textContent()).toContain("policies/base.yaml:12:5");
    expect(await change.locator(".origin").textContent()).toContain("PUT projects/7/integrations/chat");
  });

  test("tells problems, objections, warnings and what could not be compared", async () => {
    const page = await open(small);
    const notices = page.locator("#notices");
    expect(await notices.getByRole("heading").allTextContents()).toEqual([
      "Blocked by protected",
      "1 problem",
      "Needs attention",
      "1 warning",
      "1 resource with parameters that could not be compared",
    ]);
    expect(await notices.getByRole("region", { name: "1 problem" }).innerText()).toContain("payments/old");
    expect(await notices.getByRole("region", { name: "1 warning" }).innerText()).toContain("policies/base.yaml:3:1");
    await notices.getByRole("link", { name: "Show it" }).click();
    await expect.poll(() => namesOf(page)).toEqual(["license/Bad License"]);
  });

  test("filters by action, kind, project and words, and says so in the URL", async () => {
    const page = await open(small);
    await page.getByRole("button", { name: "2 to update" }).click();
    expect([await countOf(page), await hashOf(page)]).toEqual(["2 of 5 changes", "#action=update"]);
    await page.getByRole("button", { name: "1 to delete" }).click();
    expect([await countOf(page), await hashOf(page)]).toEqual(["3 of 5 changes", "#action=update,delete"]);
    await page.getByRole("button", { name: "license 1" }).click();
    expect([await namesOf(page), await hashOf(page)]).toEqual([
      ["license/Bad License"],
      "#action=update,delete&kind=license",
    ]);
    await page.getByRole("button", { name: "Clear filters" }).click();
    expect([await countOf(page), await hashOf(page)]).toEqual(["5 changes", ""]);
    await page.getByLabel("Project").fill("payments/API");
    expect([await namesOf(page), await hashOf(page)]).toEqual([
      ["integration/mail", "integration/chat"],
      "#project=payments/API",
    ]);
    await page.getByLabel("Search").fill("chat_token 6659");
    expect([await namesOf(page), await hashOf(page)]).toEqual([
      ["integration/chat"],
      "#q=chat_token%206659&project=payments/API",
    ]);
    await page.getByLabel("Search").fill("nowhere");
    expect(await page.getByText("No change matches").isVisible()).toBe(true);
  });

  test("a link brings a filter back, and a mangled one does no harm", async () => {
    const page = await open(small, "#q=chat&project=ledger&action=disable&kind=integration");
    expect(await namesOf(page)).toEqual(["integration/chat"]);
    expect(await page.getByLabel("Search").inputValue()).toBe("chat");
    expect(await page.getByLabel("Project").inputValue()).toBe("ledger");
    expect(await page.locator("[aria-pressed=true] .word").allTextContents()).toEqual(["× to disable", "integration"]);
    const mangled = await open(small, "#%E0%A4%A&q&action=%&&=");
    expect(await countOf(mangled)).toBe("0 of 5 changes");
  });

  test("hostile values are text", async () => {
    const place = { file: hostile, line: 1, column: 1 };
    const evil = planned(hostile, link, "update", {
      change: { ...fieldsOf("update", { [hostile]: hostile }, { [hostile]: link, flip: "a\u202eb" }) },
      ...{ action_reason: hostile, source: place, outcome: { status: "failed", error: hostile, not_kept: [hostile] } },
    });
    const problem = { rule: hostile, message: hostile, project: hostile, path: link, ...place };
    const page = await open(
      planWith({
        changes: [evil],
        ...{ problems: [problem], warnings: [problem], unverified: [{ address: link, fields: [hostile] }] },
        ...{ objections: [{ guard: "protected", message: hostile, addresses: [evil.address, link] }] },
        ...{ evenkeel_version: hostile, server: { url: link }, manifests: { digest: hostile, commit: hostile } },
      }),
    );
    await page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })");
    await page.locator("tbody tr").first().waitFor();
    expect(await page.locator("img, iframe, body script:not([type=module])").count()).toBe(0);
    expect(await page.locator("a:not([href^='#'])").count()).toBe(0);
    expect(await page.evaluate("window.taken")).toBeUndefined();
    const cells = await page.locator("tbody tr").allTextContents();
    expect(cells).toEqual([`${hostile}${hostile}${link}`, "flipnot reporteda\\u202eb"]);
    await page.getByRole("link", { name: "Link to this change" }).click();
    await expect.poll(() => page.getByLabel("Search").inputValue()).toBe(evil.address);
    expect(await rowsOf(page).count()).toBe(1);
  });

  test("the keyboard reaches all of it", async () => {
    const page = await open(small);
    const reached: string[] = [];
    const focused = "(document.activeElement.closest('label') ?? document.activeElement).textContent.trim()";
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press("Tab");
      reached.push(await page.evaluate<string>(focused));
    }
    const controls = page.locator("a:visible, button:visible:enabled, summary:visible, label:visible");
    const names = (await controls.allTextContents()).map((name) => name.trim());
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !reached.includes(name) && name !== "Skip to the changes")).toEqual([]);
    expect(reached[0]).toBe("Skip to the changes");
  });

  test("keys search, unfold and skip", async () => {
    const page = await open(small, "#q=mail");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect([await page.evaluate("document.activeElement.id"), await hashOf(page)]).toEqual([
      "changes-title",
      "#q=mail",
    ]);
    const row = rowsOf(page).locator("details");
    expect(await row.getAttribute("open")).toBe("");
    await row.locator("summary").focus();
    await page.keyboard.press("Enter");
    expect(await row.getAttribute("open")).toBeNull();
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.id")).toBe("search");
  });

  test("what became of each change, troubles first, and a filter for it", async () => {
    const outcomes = [
      { status: "applied" },
      { status: "failed", error: "403 Forbidden" },
      { status: "skipped", error: "not tried" },
    ] as const;
    const changes = outcomes.map((outcome, i) => planned(`group/project-${i}`, "chat", "update", { outcome }));
    const page = await open(planWith({ changes }));
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("1 of 3 changes applied");
    const troubles = page.getByRole("region", { name: "2 changes not applied" });
    expect(await troubles.getByRole("listitem").allTextContents()).toEqual([
      "failed group/project-1:integration/chat 403 Forbidden",
      "skipped group/project-2:integration/chat not tried",
    ]);
    await page.getByRole("button", { name: "failed 1" }).click();
    expect([await countOf(page), await hashOf(page)]).toEqual(["1 of 3 changes", "#outcome=failed"]);
  });

  test("equal changes of many projects are one row; a link shows one of them alone, open and in sight", async () => {
    const lost_notifications = ["chat will receive no events"];
    const changes = Array.from({ length: 2_000 }, (_, i) => {
      return planned(`group/project-${i}`, "chat", "disable", { lost_notifications, notes: lost_notifications });
    });
    const one = planned("other/project", "mail", "update", { lost_notifications, notes: lost_notifications });
    const page = await open(planWith({ changes: [...changes, one] }));
    expect(await rowsOf(page).count()).toBe(2);
    const row = rowsOf(page).first();
    expect(await row.locator("summary").first().innerText()).toMatch(
      /2,000 projects[\s\S]*chat will receive no events/,
    );
    await row.locator("summary").first().click();
    expect(await row.locator(".projects li").count()).toBe(2_000);
    await row.getByText("1,940 more projects").click();
    await row.getByRole("link", { name: "group/project-1999" }).click();
    await expect.poll(() => countOf(page)).toBe("1 of 2,001 changes");
    const opened = rowsOf(page).locator("> details[open]");
    expect(await opened.locator(".detail").innerText()).toContain("chat will receive no events");
    expect((await opened.boundingBox())?.y).toBeLessThan(400);
    const linked = await open(planWith({ changes: [...changes, one] }), `#q=${one.address}`);
    expect(await namesOf(linked)).toEqual(["integration/mail"]);
    expect((await rowsOf(linked).first().boundingBox())?.y).toBeLessThan(linked.viewportSize()?.height ?? 0);
  });

  test("what loosens a policy stands on top, with what a license becomes, a tile and a filter", async () => {
    const license = (policy_effect: "loosened" | "tightened", status: string) => {
      const change = fieldsOf("update", { approval_status: "other" }, { approval_status: status });
      return { kind: "license", policy_effect, change } as const;
    };
    const page = await open({
      ...planWith({
        changes: [
          planned("a", "chat", "delete"),
          planned("a", "MIT", "update", license("loosened", "allowed")),
          planned("a", "WTFPL", "update", license("tightened", "denied")),
        ],
        objections: [{ guard: "protected", message: "mine", addresses: [], waived: true }],
      }),
      scope: { targets: ["a/*"] },
    });
    expect(await namesOf(page)).toEqual(["license/MIT", "integration/chat", "license/WTFPL"]);
    expect(await rowsOf(page).first().locator("summary").first().textContent()).toMatch(/→ allowedloosened/);
    const first = page.getByRole("region", { name: "Needs attention" });
    expect(await first.getByRole("listitem").allTextContents()).toEqual([
      "1 change loosens the policy: license/MIT becomes allowed in a",
      "1 to delete: chat in a",
    ]);
    expect(await page.getByRole("heading", { level: 3 }).allTextContents()).toEqual(
      expect.arrayContaining(["Loosened 1", "To delete 1", "To update 1"]),
    );
    expect(await page.getByRole("region", { name: "Waived for this run" }).innerText()).toContain("mine");
    expect(await page.locator(".facts").innerText()).toMatch(/Only\s+--target a\/\*/);
    await page.getByRole("button", { name: "1 loosened" }).click();
    expect([await namesOf(page), await hashOf(page)]).toEqual([["license/MIT"], "#policy_effect=loosened"]);
    const place = rowsOf(page).locator(".place");
    expect((await place.boundingBox())?.height).toBeLessThan(24);
  });

  test("an empty plan says that there is nothing to do, a broken one does not", async () => {
    const page = await open(planWith({ unverified: [] }));
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Nothing to change");
    expect(await page.getByText("7 projects are as declared.").isVisible()).toBe(true);
    expect(await page.getByRole("search").count()).toBe(0);
    const broken = await open(planWith({ problems: [{ rule: "unreadable", message: "404 Not Found" }] }));
    expect(await broken.getByRole("heading", { level: 1 }).textContent()).toBe(
      "No changes among what could be compared",
    );
    expect(await broken.getByText("as declared").count()).toBe(0);
  });

  test("filters thousands of changes", async () => {
    const page = await open(largePlan());
    expect([await countOf(page), await rowsOf(page).count()]).toEqual(["3,000 changes", 200]);
    await page.getByLabel("Search").fill("2998");
    expect([await countOf(page), await rowsOf(page).count()]).toEqual(["2 of 3,000 changes", 2]);
    await page.getByLabel("Search").fill("active");
    expect([await countOf(page), await rowsOf(page).count()]).toEqual(["2,940 of 3,000 changes", 200]);
    await page.getByText("Show more").click();
    expect(await rowsOf(page).count()).toBe(2_200);
  });

  test("paper holds all that matches", async () => {
    const changes = Array.from({ length: 250 }, (_, i) => planned(`group/project-${i}`, `chat-${i}`, "update"));
    const page = await open(planWith({ changes }));
    await page.getByLabel("Search").fill("chat");
    expect(await rowsOf(page).count()).toBe(200);
    await page.pdf();
    await expect.poll(() => rowsOf(page).count()).toBe(250);
  });
});
