import fc from "fast-check";
import type { ReportedProblem } from "../../src/model/problem-line.ts";
import type { Action, Fields, Outcome } from "../../src/model/types.ts";
import { type Plan, type PlannedChange, planDigest } from "../../src/plan/plan.ts";
import type { Report } from "../../src/report/report.ts";

/** A run that ended, of which the test says what matters to it. */
export function reportOf(plan: Plan, more: Partial<Report> = {}): Report {
  return {
    plan,
    command: "plan",
    seconds: 1.25,
    finishedAt: new Date("2026-11-21T07:23:15.000Z"),
    exitCode: 0,
    surveyed: true,
    folder: "",
    ...more,
  };
}

export interface Parts {
  readonly changes?: readonly PlannedChange[];
  readonly problems?: readonly ReportedProblem[];
  readonly warnings?: readonly ReportedProblem[];
  readonly objections?: Plan["objections"];
  readonly url?: string;
}

/** A plan of these parts, its counts and digest as they have to be. */
export function planWith({ changes = [], problems = [], warnings = [], objections = [], url }: Parts): Plan {
  const count = (action: Action) => changes.filter(({ change }) => change.actions[0] === action).length;
  const rest = {
    format_version: "1.0",
    evenkeel_version: "0.1.0",
    server: { url: url ?? "https://code.example.com" },
    manifests: { digest: `sha256:${"0".repeat(64)}`, commit: null },
    summary: {
      projects: 7,
      changed_projects: new Set(changes.map(({ project }) => project)).size,
      live: 40,
      create: count("create"),
      update: count("update"),
      disable: count("disable"),
      delete: count("delete"),
      unmanaged: 4,
      unverified: 2,
      reads: 9,
      writes: changes.length,
    },
    resource_changes: changes,
    unverified: [],
    objections,
    problems,
    warnings,
  } as const;
  return { ...rest, digest: planDigest(rest), created_at: "2026-11-21T07:23:14.000Z" };
}

/** What a change may say of itself, all of it from elsewhere. */
export interface Words {
  readonly project: string;
  readonly key: string;
  readonly reason: string;
  readonly file: string;
  readonly field: string;
  readonly before: string;
  readonly after: string;
  readonly error: string;
}

const actions: readonly Action[] = ["create", "update", "disable", "delete"];

/** A change of the action that its index falls on; `index` keeps addresses apart. */
export function changeWith(words: Words, index: number, outcome?: Outcome["status"]): PlannedChange {
  const action = actions[index % actions.length] ?? "update";
  const project = `${words.project}${index}`;
  const fields = (value: string): Fields => ({ [words.field]: value, token: { secret: `env:${value}` } });
  return {
    address: `${project}:integration/${words.key}`,
    project,
    kind: "integration",
    key: words.key,
    change: {
      actions: [action],
      before: action === "create" ? null : fields(words.before),
      after: action === "delete" ? null : fields(words.after),
      after_sensitive: { token: true },
    },
    live: null,
    action_reason: words.reason,
    source: { file: words.file, line: 14, column: 3 },
    call: { method: "PUT", path: "/projects" },
    ...(outcome && { outcome: { status: outcome, ...(outcome !== "applied" && { error: words.error }) } }),
  };
}

export const plainWords: Words = {
  project: "pay/core",
  key: "irc-gateway",
  reason: "field differs",
  file: "policies/a.yaml",
  field: "channel",
  before: "old",
  after: "new",
  error: "answered 400",
};

export const attacks = [
  "`",
  "``",
  "|",
  "\\|",
  "\\",
  "a | b",
  " ",
  "<script>alert(1)</script>",
  "</code></summary></details>",
  "<!-- -->",
  "-->",
  "]]>",
  "<![CDATA[",
  "&amp;",
  "&#96;",
  "@everyone",
  "#12 !34",
  "\n/merge",
  "\n::error::x",
  "::stop-commands::x",
  "%0A::error::",
  "\r\n\r\n# h",
  ',file=x::"',
  '"} 1\nevil{a="',
  "'\"><a b='",
  "${{ secrets.X }}",
  "![x](http://evil.example)",
  "www.evil.example",
  "\u0000\u001b[31m\u0085\u2028\u2029\u202e\ufffe\uffff",
  "\ud800",
  "##vso[task.setvariable variable=x]y",
  "##[command]x",
  "#",
  "##teamcity[x",
  "  ::error::x",
  "\u00ad\u200b\u200d\u2060\ufeff\u3164\u{e0041}",
  "'; touch /tmp/x; echo '",
  "$(touch /tmp/x)",
  "`touch /tmp/x`",
  "*_~[]()",
];

/** Strings that try to break out, alone and inside others. */
export const hostile: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...attacks), fc.string({ unit: "binary", maxLength: 6 }), fc.string()), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(""));

export const hostileWords: fc.Arbitrary<Words> = fc.record({
  project: hostile,
  key: hostile,
  reason: hostile,
  file: hostile,
  field: hostile,
  before: hostile,
  after: hostile,
  error: hostile,
});

const statuses: readonly (Outcome["status"] | undefined)[] = [
  undefined,
  "applied",
  "failed",
  "skipped",
  "stale",
  "unknown",
];

/** A plan in which every word is hostile, and the same plan with plain words in their place. */
export const hostileAndPlain: fc.Arbitrary<{ readonly evil: Plan; readonly tame: Plan }> = fc
  .record({
    words: fc.array(hostileWords, { minLength: 1, maxLength: 6 }),
    problems: fc.array(
      fc.record({ rule: fc.constant("unknown-slug"), message: hostile, path: hostile, project: hostile }),
    ),
    placed: fc.array(
      fc.record({
        rule: hostile,
        message: hostile,
        file: hostile,
        line: fc.integer({ min: 1 }),
        column: fc.integer({ min: 1 }),
      }),
    ),
    objections: fc.array(hostile, { maxLength: 2 }),
    applied: fc.boolean(),
    url: hostile,
  })
  .map(({ words, problems, placed, objections, applied, url }) => {
    const statusOf = (index: number) => (applied ? statuses[index % statuses.length] : undefined);
    const objection = (message: string) => ({ guard: "protected", message, addresses: [] }) as const;
    const evil = planWith({
      changes: words.map((each, index) => changeWith(each, index, statusOf(index))),
      problems: [...problems, ...placed],
      warnings: placed,
      objections: objections.map(objection),
      url,
    });
    const tamed = [
      ...problems.map(() => ({ rule: "r", message: "m", path: "p", project: "j" })),
      ...placed.map(({ line, column }) => ({ rule: "r", message: "m", file: "f", line, column })),
    ];
    const tame = planWith({
      changes: words.map((_, index) => changeWith(plainWords, index, statusOf(index))),
      problems: tamed,
      warnings: tamed.slice(problems.length),
      objections: objections.map(() => objection("m")),
    });
    return { evil, tame };
  });
