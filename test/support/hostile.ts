import fc from "fast-check";
import type { Action, Fields, Outcome } from "../../src/model/types.ts";
import type { Plan, PlannedChange } from "../../src/plan/plan.ts";
import { fieldsOf, planned, planWith } from "./plans.ts";

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

/** A change of the action that its index falls on; `index` keeps addresses and reasons apart. */
export function changeWith(words: Words, index: number, outcome?: Outcome["status"]): PlannedChange {
  const action = actions[index % actions.length] ?? "update";
  const fields = (value: string): Fields => ({ [words.field]: value, token: { secret: `env:${value}` } });
  return planned(`${words.project}${index}`, words.key, action, {
    change: { ...fieldsOf(action, fields(words.before), fields(words.after)), after_sensitive: { token: true } },
    live: null,
    action_reason: `${words.reason} (${index})`,
    source: { file: words.file, line: 14 + index, column: 3 },
    call: { method: "PUT", path: "/projects" },
    ...(outcome && { outcome: { status: outcome, ...(outcome !== "applied" && { error: words.error }) } }),
  });
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
  ...["`", "``", "|", "\\|", "\\", "a | b", " ", "<script>alert(1)</script>", "</code></summary></details>"],
  ...["<!-- -->", "-->", "]]>", "<![CDATA[", "&amp;", "&#96;", "@everyone", "#12 !34", "\n/merge", "\n::error::x"],
  ...["::stop-commands::x", "%0A::error::", "\r\n\r\n# h", ',file=x::"', '"} 1\nevil{a="', "'\"><a b='"],
  ...["${{ secrets.X }}", "![x](http://evil.example)", "www.evil.example"],
  ...["\u0000\u001b[31m\u0085\u2028\u2029\u202e\ufffe\uffff", "\ud800", "##vso[task.setvariable variable=x]y"],
  ...["##[command]x", "#", "##teamcity[x", "  ::error::x"],
  ...["\u00ad\u200b\u200d\u2060\ufeff\u3164\u{e0041}\u2800\ufe0f\u{e0100}\u180b", "'; touch /tmp/x; echo '"],
  ...["$(touch /tmp/x)", "`touch /tmp/x`", "*_~[]()"],
];

/** Strings that try to break out, alone and inside others. */
export const hostile: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...attacks), fc.string({ unit: "binary", maxLength: 6 }), fc.string()), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(""));

const hostileWords: fc.Arbitrary<Words> = fc.record({
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

function madeOf(word: string): Pick<Plan, "scope" | "manifests"> {
  const scope = { since: word, projects: 1, of: 2, targets: [word], shards: [word] };
  return { scope, manifests: { digest: word, commit: word } };
}

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
      ...madeOf(url),
    });
    // Equal problems are joined.
    const firstLike = ({ rule, message }: { readonly rule: string; readonly message: string }) =>
      placed.findIndex((each) => each.rule === rule && each.message === message);
    const tamed = [
      ...problems.map((_, index) => ({ rule: "r", message: `m${index}m`, path: "p", project: "j" })),
      ...placed.map(({ line, column, ...text }) => ({
        rule: "r",
        message: `m${firstLike(text)}m`,
        file: "f",
        line,
        column,
      })),
    ];
    const tame = planWith({
      changes: words.map((_, index) => changeWith(plainWords, index, statusOf(index))),
      problems: tamed,
      warnings: tamed.slice(problems.length),
      objections: objections.map(() => objection("m")),
      ...madeOf("x"),
    });
    return { evil, tame };
  });
