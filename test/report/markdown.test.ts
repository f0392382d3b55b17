import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Plan } from "../../src/plan/plan.ts";
import { findingsMarkdown, longestMarkdown, planMarkdown } from "../../src/report/markdown.ts";
import { changeWith, hostile, hostileAndPlain, plainWords } from "../support/hostile.ts";
import { planned, planWith, reportOf } from "../support/plans.ts";

const none = () => undefined;
const markdownOf = (plan: ReturnType<typeof planWith>) => planMarkdown(reportOf(plan), none);

/** What is left of markdown when all code in it is taken out: the part that a forge reads as markup. */
function skeleton(markdown: string): string {
  return markdown
    .replace(/<code>[A-Za-z0-9 &#;…()]+<\/code>|`[^`|\n]+`/g, "C")
    .replace(/C \(\d+ more characters\)/g, "C");
}

describe("a plan in a merge request comment", () => {
  test("tells a change of many projects once, with a bounded list of them", () => {
    const equal = (count: number) => Array.from({ length: count }, (_, i) => planned(`pay/p-${i}`, "chat", "disable"));
    const some = markdownOf(planWith({ changes: equal(3) }));
    expect(some).toContain("| **disable** | `3 projects: chat disabled (policies/base.yaml:12)` |");
    expect(some).toContain("\n\nProjects:\n\n- `pay/p-0`\n- `pay/p-1`\n- `pay/p-2`\n\n</details>");
    const many = markdownOf(planWith({ changes: equal(10_000) }));
    expect(many).toContain("`10,000 projects: chat disabled (policies/base.yaml:12)`");
    expect(many).toMatch(/\n… and [\d,]+ more projects\.\n\n<\/details>/);
    expect(many.length).toBeLessThan(6_000);
  });

  test("names who loses what, where anybody does", () => {
    const change = { ...changeWith(plainWords, 2), notes: ["#a will no longer receive | push"] };
    expect(markdownOf(planWith({ changes: [change] }))).toContain(
      "\n- `pay/core2:integration/irc-gateway`: <code>&#35;a will no longer receive &#124; push</code>\n",
    );
  });

  test("says plainly that nothing changes, and that nothing was compared", () => {
    expect(markdownOf(planWith({}))).toContain("### Evenkeel: no changes\n");
    const problems = [{ rule: "unauthorized", message: "the token was refused" }];
    const unread = planMarkdown(reportOf(planWith({ problems }), { compared: false, exitCode: 1 }), none);
    expect(unread).toContain("### Evenkeel: nothing was compared, 1 problem");
    expect(unread).toContain("- `the token was refused` `unauthorized`");
    expect(unread).not.toContain("7 projects");
  });

  test("tells outcomes after an apply", () => {
    const applied = planWith({ changes: [changeWith(plainWords, 0, "applied"), changeWith(plainWords, 1, "failed")] });
    const outcomes = { applied: 1, failed: 1, skipped: 0, stale: 0, unknown: 0 };
    const text = markdownOf({ ...applied, summary: { ...applied.summary, outcomes } });
    expect(text).toContain("### Evenkeel: 1 applied, 1 failed\n");
    expect(text).toContain("| **failed** `answered 400` |");
  });

  test("of mistakes alone has no counts of projects", () => {
    const { problems } = planWith({
      problems: [{ rule: "type", message: "a number is expected", file: "a.yaml", line: 3 }],
    });
    const text = findingsMarkdown({ ...reportOf(planWith({ problems })), command: "validate" }, none);
    expect(text).toBe(
      "<!-- evenkeel:validate -->\n\n### Evenkeel: 1 problem\n\n**Problems**\n\n- `a.yaml:3` `a number is expected` `type`",
    );
  });
});

test.each(["mixed", "in-sync", "fleet"])("the plan of %s reads as its golden comment", async (name) => {
  const file = join(import.meta.dirname, "../cases/plan", name);
  const plan = JSON.parse(readFileSync(`${file}.json`, "utf8")) as Plan;
  await expect(`${markdownOf(plan)}\n`).toMatchFileSnapshot(`${file}.md`);
});

describe("the longest comment", () => {
  test("drops the largest details first, and says so; the table stays whole", () => {
    const long = { ...plainWords, before: "x".repeat(290), after: "y".repeat(290) };
    const changes = Array.from({ length: 150 }, (_, i) => changeWith(i % 10 === 3 ? long : plainWords, i));
    const fields = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`field${n}`, "z".repeat(280)]));
    const large = { ...changes[7], change: { ...changes[7]?.change, before: fields, after: fields } } as never;
    const markdown = markdownOf(planWith({ changes: changes.with(7, large) }));
    expect(markdown.length).toBeLessThanOrEqual(longestMarkdown);
    expect(markdown.length).toBeGreaterThan(longestMarkdown / 2);
    expect(markdown.match(/^\| \S+ \| `pay\/core\d+:/gm)).toHaveLength(150);
    expect(markdown).toMatch(/\d+ sections of details, the largest, are left out/);
    expect(markdown).not.toContain("field39");
  });

  test("cuts the end of the table where that alone is too long, never what is turned off", () => {
    const changes = Array.from({ length: 10_000 }, (_, index) =>
      changeWith(plainWords, 4 * index + (index < 9_900 ? 1 : 2)),
    );
    const markdown = markdownOf(planWith({ changes }));
    expect(markdown.length).toBeLessThanOrEqual(longestMarkdown);
    expect(markdown.match(/^\| \*\*disable\*\* /gm)).toHaveLength(100);
    const shown = markdown.match(/^\| (update|\*\*disable\*\*) \| `pay\/core\d+:/gm)?.length ?? 0;
    expect(markdown).toContain(`… and ${(10_000 - shown).toLocaleString("en")} more changes.`);
    expect(markdown).toContain("sections of details, the largest, are left out");
  });

  test("holds whatever the words and however many", () => {
    const many = fc.array(hostile, { minLength: 60, maxLength: 400 });
    fc.assert(
      fc.property(many, fc.nat({ max: 4000 }), (words, times) => {
        const changes = words.map((word, index) =>
          changeWith({ ...plainWords, before: word.repeat(9), reason: word }, index),
        );
        const problems = Array.from({ length: times }, (_, n) => ({
          rule: "r",
          message: words[n % words.length] ?? "",
        }));
        const markdown = markdownOf(planWith({ changes, problems, warnings: problems }));
        expect(markdown.length).toBeLessThanOrEqual(longestMarkdown);
        const markup = skeleton(markdown);
        expect(markup.split("<details>").length).toBe(markup.split("</details>").length);
      }),
      { numRuns: 15 },
    );
  });
});

test("nothing hostile is ever more than code: the markup is that of the same plan with plain words", () => {
  fc.assert(
    fc.property(hostileAndPlain, ({ evil, tame }) => {
      expect(skeleton(markdownOf(evil))).toBe(skeleton(markdownOf(tame)));
    }),
    { numRuns: 100 },
  );
});
