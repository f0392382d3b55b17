import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { projectHref } from "../../src/base/console-paths.ts";
import { listRuns, recordRun } from "../../src/state/run-summary.ts";
import { attacks } from "../support/hostile.ts";
import { installed, lacks } from "../support/needs.ts";
import { planned, planWith } from "../support/plans.ts";
import { minutes } from "../support/until.ts";
import { consoleOver, drifted, fleet, seen, seenBy } from "./serving.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const executablePath = installed("chromium") ?? "";
const sizes = [1400, 800, 390];
/** Bytes of a page, without the style and the script that all of them share. */
const largest = 200 * 1024;

describe.skipIf(lacks("chromium"))("in a browser (needs chromium)", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath,
      timeout: minutes,
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic"],
    });
  });

  afterAll(() => browser.close());

  /** A page that fails the test where it loads anything from elsewhere, or a script of it fails. */
  async function open(base: string, options: Parameters<Browser["newPage"]>[0] = {}) {
    const page = await browser.newPage(options);
    page.setDefaultTimeout(minutes);
    const wrong: string[] = [];
    page.on("request", (request) => request.url().startsWith(base) || wrong.push(request.url()));
    page.on("pageerror", (error) => wrong.push(error.message));
    page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
    return { page, wrong };
  }

  async function faultsOf(page: Page): Promise<readonly string[]> {
    await page.evaluate(`window.axe || (0, eval)(${JSON.stringify(axe)})`);
    const { violations } = (await page.evaluate("axe.run()")) as {
      violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
    };
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`);
  }

  /** Each page of a console at each width and in both colour schemes: whole, small, and clean for screen readers. */
  async function look(base: string, paths: readonly string[]): Promise<void> {
    for (const colorScheme of ["light", "dark"] as const) {
      const { page, wrong } = await open(base, { colorScheme, bypassCSP: true });
      for (const path of paths) {
        const answer = await page.goto(base + path);
        expect([path, answer?.status()]).toEqual([path, 200]);
        expect([path, ((await answer?.body())?.length ?? 0) < largest]).toEqual([path, true]);
        for (const width of sizes) {
          await page.setViewportSize({ width, height: 900 });
          const beyond = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
          expect([path, width, beyond]).toEqual([path, width, 0]);
        }
        expect([path, await faultsOf(page)]).toEqual([path, []]);
        expect(await page.locator("h1").count()).toBe(1);
      }
      expect(wrong).toEqual([]);
      await page.close();
    }
  }

  test("with nothing yet, says what to run", async () => {
    const { root } = await seenBy([]);
    const { url } = await consoleOver(root);
    await look(url, ["/", "/runs", "/review", "/search"]);
    const { page } = await open(url);
    await page.goto(url);
    expect(await page.locator("main").innerText()).toContain("evenkeel plan");
    await page.close();
  });

  test("with a few projects, every page", async () => {
    const waiting = seen("waits/p", [{ ...drifted("waits/p"), cause: "pending" }]);
    const { root, state } = await seenBy([...fleet(3), waiting], 90);
    const [{ run = "" } = {}] = await listRuns(state);
    const plan = planWith({ changes: [planned("p/q", "irc-gateway", "update"), planned("p/q", "MIT", "delete")] });
    await state.put("plans", [[run, JSON.stringify(plan)]]);
    const { url } = await consoleOver(root);
    const project = "/projects/group-1/team-1/project-1";
    const found = ["/search?q=project", "/?status=drifted", "/?group=group-1", "/runs?command=drift"];
    await look(url, ["/", project, "/runs", `/runs/${run}`, `/runs/${run}/plan`, "/review", ...found]);

    const { page, wrong } = await open(url);
    await page.goto(`${url}/runs/${run}/plan`);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toMatch(/^2 changes/);
    await page.goto(url);
    await page.keyboard.press("/");
    await page.keyboard.type("project-1");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "group-1/team-1/project-1" }).click();
    await page.waitForURL(url + project);
    const text = await page.locator("main").innerText();
    for (const word of ["#general", "#other", "policies/everyone.yaml:7:3", "c0ffee", "2027-03-01", "OPS-123"])
      expect(text).toContain(word);
    expect(await page.locator("main").textContent()).toContain("env:WIKI");
    expect(wrong).toEqual([]);
    await page.close();
  });

  test("works without a script", async () => {
    const { root } = await seenBy(fleet(200), 2);
    const { url } = await consoleOver(root);
    const { page } = await open(url, { javaScriptEnabled: false });
    await page.goto(url);
    await page.getByRole("link", { name: /^group-11 / }).click();
    await page.waitForURL(/group=group-11/);
    await page.getByLabel("Status").selectOption("drifted");
    await page.getByRole("button", { name: "Show" }).click();
    await page.waitForURL(/status=drifted/);
    const rows = page.locator("table.stack tbody tr");
    expect((await rows.allInnerTexts()).every((row) => /^group-11\/.*drifted/s.test(row))).toBe(true);
    await rows.first().getByRole("link").click();
    await page.waitForURL(/\/projects\//);
    expect(await page.locator("h1").innerText()).toMatch(/^group-11\//);
    await page.close();
  });

  test("with 100,000 projects, pages stay small and complete", async () => {
    const { root } = await seenBy(fleet(100_000), 3);
    const { url, get } = await consoleOver(root);
    await look(url, ["/", "/?group=group-7/team-3", "/?page=2000", "/search?q=project-7", "/runs"]);
    const counts = { "in sync": 89_000, pending: 0, drifted: 10_000, unreadable: 1000 };
    expect(await (await get("/fleet.json")).json()).toMatchObject({ total: 100_000, counts });
  });

  test("whatever anybody named anything, it is text", async () => {
    const taken = `"><img src=x onerror="window.taken=1"><script>window.taken=1</script>`;
    const names = [...attacks, taken].map((attack) => `p/${attack}x`);
    const { root, state } = await seenBy(names.map((name) => seen(name, [drifted(name, taken)], taken)));
    const head = { run: "r1", started: "2026-11-21T08:00:00.000Z", ended: null, outcome: taken, changes: 1 };
    const touched = { [names[0] ?? ""]: { [taken]: taken } };
    const summary = {
      ...head,
      command: taken,
      who: taken,
      host: taken,
      job: "javascript:alert(1)",
      commit: taken,
      touched,
    };
    await recordRun(state, summary);
    const { url, get } = await consoleOver(root);
    const { page, wrong } = await open(url);
    const paths = ["/", "/?group=p", "/runs", "/runs/r1", `/search?q=${encodeURIComponent(taken)}`];
    for (const path of [...paths, ...names.map(projectHref)]) {
      const answer = await page.goto(url + path);
      expect([200, 404]).toContain(answer?.status());
      expect(await page.evaluate("window.taken")).toBeUndefined();
      expect(await page.locator("main img, main script, main a[href^='javascript']").count()).toBe(0);
    }
    expect(await (await get("/")).text()).not.toMatch(/\u202e|\u200b/);
    expect(wrong.filter((words) => !words.includes("404"))).toEqual([]);
    await page.close();
  });
});
