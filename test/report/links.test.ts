import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ciLinks } from "../../src/commands/plan-reports.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { planHtml } from "../../src/report/html/report-page.ts";
import { planMarkdown } from "../../src/report/markdown.ts";
import { lineUrl } from "../../src/report/report.ts";
import { changeWith, hostile, plainWords } from "../support/hostile.ts";
import { planned, planWith, reportOf } from "../support/plans.ts";

const commit = "0123456789abcdef0123456789abcdef01234567";
const gitlab = {
  CI_PROJECT_URL: "https://code.example.com/ops/policies",
  CI_COMMIT_SHA: commit,
  CI_PROJECT_DIR: "/builds/ops/policies",
  CI_JOB_URL: "https://code.example.com/ops/policies/-/jobs/7",
};
const github = {
  GITHUB_SERVER_URL: "https://github.example.com",
  GITHUB_REPOSITORY: "ops/policies",
  GITHUB_SHA: commit,
  GITHUB_RUN_ID: "42",
};
const linksOf = (env: Record<string, string>, ...reports: string[]) =>
  ciLinks({ env, cwd: "/builds/ops/policies/sub" }, reports);

describe("links of a pipeline", () => {
  test("lead to its files and its HTML report", () => {
    expect(linksOf(gitlab, "markdown=m.md", "html=out/plan 1.html")).toEqual({
      files: `https://code.example.com/ops/policies/-/blob/${commit}/`,
      page: "https://code.example.com/ops/policies/-/jobs/7/artifacts/file/sub/out/plan%201.html",
    });
    expect(linksOf(github, "html=plan.html")).toEqual({
      files: `https://github.example.com/ops/policies/blob/${commit}/`,
      page: "https://github.example.com/ops/policies/actions/runs/42",
    });
  });

  test("are left out where they are not known, and outside of a pipeline", () => {
    expect(linksOf({}, "html=plan.html")).toEqual({});
    expect(linksOf(gitlab, "html=/tmp/plan.html", "sarif=p.sarif")).not.toHaveProperty("page");
    expect(linksOf({ ...gitlab, CI_COMMIT_SHA: "main" })).toEqual({});
    expect(linksOf({ ...github, GITHUB_REPOSITORY: "ops/policies)[x](evil" })).toEqual({});
    expect(linksOf({ ...gitlab, CI_PROJECT_URL: "javascript:alert(1)" })).toEqual({});
  });

  test("have no credentials, even if the variables of the pipeline do", () => {
    const env = {
      ...gitlab,
      CI_PROJECT_URL: "https://gitlab-ci-token:s3cret@code.example.com/ops/policies?private_token=s3cret",
    };
    expect(linksOf(env).files).toBe(`https://code.example.com/ops/policies/-/blob/${commit}/`);
  });
});

test("markdown and HTML link lines and the HTML report", () => {
  const plan = planWith({ changes: [planned("pay/api", "chat", "disable"), planned("pay/core", "chat", "disable")] });
  const links = linksOf(gitlab, "html=plan.html");
  const report = reportOf(plan, { links, folder: "ws/" });
  const line = `https://code.example.com/ops/policies/-/blob/${commit}/ws/policies/base.yaml#L12`;
  const markdown = planMarkdown(report, () => undefined);
  expect(markdown).toContain(`[\`policies/base.yaml:12\`](${line})`);
  expect(markdown).toContain(` · [HTML report](${links.page})`);
  expect(
    planHtml(plan, catalogueOf(), { command: "plan", lineUrl: (place) => lineUrl(links, "ws/", place) }),
  ).toContain(`<a href="${line}">`);
});

/** What a forge reads as markup. */
function withoutCode(markdown: string): string {
  return markdown.replace(/<code>[A-Za-z0-9 &#;…()]+<\/code>|`[^`|\n]+`/g, "C");
}

test("no name breaks out of a link", () => {
  fc.assert(
    fc.property(hostile, hostile, (file, project) => {
      const change = changeWith({ ...plainWords, file, project }, 1);
      const markdown = planMarkdown(
        reportOf(planWith({ changes: [change] }), { links: linksOf(gitlab) }),
        () => undefined,
      );
      const urls = [...withoutCode(markdown).matchAll(/\]\(([^)]*)\)/g)].map(([, url = ""]) => url);
      for (const url of urls) expect(url).toMatch(/^https:\/\/code\.example\.com\/[\w%./~#-]*$/);
      expect(urls.length).toBeGreaterThan(0);
    }),
  );
});
