import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blank } from "../../src/author/import/policy.ts";
import { printableLines, withoutMarks } from "../../src/base/printable.ts";
import { waiversText } from "../../src/commands/next-steps.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { reportedLine } from "../../src/model/problem-line.ts";
import { planRenderers } from "../../src/report/formats.ts";
import { revisionHtml } from "../../src/report/html/report-page.ts";
import { importText } from "../../src/report/import.ts";
import { outcomesText } from "../../src/report/outcomes.ts";
import { acceptText } from "../../src/report/policy-texts.ts";
import { isJsonKind, planKinds } from "../../src/report/report.ts";
import { type RevisionDocument, revisionMarkdown, revisionText } from "../../src/report/revision.ts";
import { historyText, runsText, runText } from "../../src/report/runs.ts";
import {
  deploymentsText,
  deploymentText,
  mergeRequestsText,
  routesText,
  statusJson,
  statusText,
  unknownText,
  whoamiText,
} from "../../src/report/server-texts.ts";
import { blameText, showText } from "../../src/report/show.ts";
import { plain } from "../../src/report/terminal.ts";
import { planText, requestsText } from "../../src/report/text.ts";
import { holderText } from "../../src/state/lease.ts";
import { attacks, hostile, hostileAndPlain } from "../support/hostile.ts";
import { reportOf } from "../support/plans.ts";

const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}\u2800\u3164]/u;

/** What no reader of lines may find: a command of a CI runner, or what nobody sees. */
function faultsOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => /^\s*::|##\w*\[/.test(line) || invisible.test(line));
}

/** Everything that is printed of a server's, a journal's or a manifest's words, other than plans. */
const texts: Readonly<Record<string, (word: string) => string>> = {
  deployment: (word) =>
    deploymentText({ id: word, iid: word, status: word, ref: word, sha: word, environment: { name: word } }, plain),
  deployments: (word) => deploymentsText([{ id: 1, ref: word, sha: word, user: { username: word } }], plain),
  "merge requests": (word) =>
    mergeRequestsText([{ iid: 1, title: word, author: { name: word }, web_url: word }], plain),
  "storage status": (word) =>
    statusText(word, [{ kind: "projects", left: 1, moving: 0, failed: 0, names: [word] }], plain),
  runs: (word) => runsText([{ run: word, entries: startOf(word) }]),
  run: (word) =>
    runText(
      word,
      [
        ...startOf(word),
        { event: "intent", at: word, address: word, action: "create", method: word, path: word },
        { event: "scheduled", at: word, address: word, to: word },
        { event: "result", at: word, address: word, status: "failed", request_id: word, error: word },
      ],
      plain,
    ),
  history: (word) => {
    const progress = { at: word, stage: "reading", done: 1, total: 2 } as const;
    const row = { ...summary, run: word, command: word, who: word, host: word, commit: word, progress };
    const holder = { run: word, who: word, host: word, pid: 1, job: word, since: word, deadline: word, fence: 1 };
    const rows = [row, { ...row, ended: null, outcome: null }, { ...row, run: "r", ended: null, outcome: null }];
    return historyText(rows, { runs: new Set([word]), holder });
  },
  holder: (word) =>
    holderText({ run: word, who: word, host: word, pid: 1, job: word, since: word, deadline: word, fence: 1 }),
  blame: (word) => {
    const commit = { sha: word, author: word, date: word, subject: word, shallow: false };
    const line = { role: "entry", what: word, place: placeOf(word), policy: word, selector: word, commit } as const;
    const outcome = { run: word, who: word, at: word, status: "failed", error: word, commit: word } as const;
    const what = { address: word, project: word, kind: "license", key: word, git: null } as const;
    return blameText({ ...what, lines: [line], outcomes: [outcome] }, plain);
  },
  accept: (word) => {
    const hunks = [{ file: word, line: 1, removed: [word], added: [word] }];
    const accepted = [{ address: word, hunks, notes: [word] }];
    return acceptText({ accepted, inSync: [word], problems: [], dryRun: false }, plain);
  },
  whoami: (word) =>
    whoamiText(
      {
        user: { username: word, name: word, isAdministrator: false },
        token: { name: word, expiresAt: word },
        scopes: [word],
        project: { path: word, level: 10, readable: word },
        commands: [],
        unknown: [word],
      },
      plain,
    ),
  diff: (word) => revisionText(revisionOf(word), catalogueOf(), plain),
  "diff as markdown": (word) => revisionMarkdown(revisionOf(word), catalogueOf()),
  "diff as html": (word) => revisionHtml(revisionOf(word), catalogueOf()),
  routes: (word) => routesText(hostileRoutes(word), plain),
  unknownRoutes: (word) => unknownText(hostileRoutes(word)),
  requests: (word) => requestsText([{ method: "PUT", path: word, parameters: { [word]: word } }]),
  problem: (word) => reportedLine({ rule: "r", message: word, path: word, file: word, line: 1, column: 1 }),
  show: (word) => {
    const origin = { place: () => ({ file: word, line: 1, column: 1 }) };
    const resource = {
      kind: "license",
      key: word,
      identity: word,
      presence: "present",
      fields: { approval_status: word },
      origin,
    } as const;
    const exclusive = new Map([["license", origin]]);
    const desired = { project: { name: word }, kinds: new Set(["license"]), exclusive, resources: [resource] };
    return showText(desired, catalogueOf());
  },
  import: (word) =>
    importText(
      {
        idle: [word],
        problems: [],
        catalogue: catalogueOf(),
        written: [
          [
            word,
            {
              file: word,
              name: word,
              projects: [word],
              except: [],
              heading: [word],
              remarks: [word],
              entries: [
                {
                  kind: "license",
                  key: word,
                  remarks: [word],
                  fields: new Map([["p", { ...blank(word), secret: word }]]),
                },
              ],
            },
          ],
        ],
      },
      plain,
    ),
};

const summary = { started: "", ended: null, outcome: null, changes: 1, touched: {} };

function placeOf(file: string) {
  return { file, line: 1, column: 1 };
}

function revisionOf(word: string): RevisionDocument {
  const source = placeOf(word);
  const problem = { revision: null, rule: word, message: word, project: word, file: word, line: 1, column: 1 };
  const change = { project: word, kind: "license", key: word, action: "edit", source, notes: [word] } as const;
  return {
    base: { revision: "1f2e3d4c" },
    head: { revision: null },
    summary: { projects: 1, declare: 0, edit: 1, disable: 0, withdraw: 0, tightened: 0, loosened: 0 },
    changes: [1, 2].map((n) => ({
      ...change,
      address: `${word}${n}`,
      before: { [word]: word },
      after: { [word]: word },
    })),
    notices: [{ topic: "server", message: word, projects: [word], file: word, line: 1 }],
    settings: [{ setting: word, before: word, after: word, file: word, line: 1 }],
    overrides: [{ policy: word, entry: word, projects: 2, differ: null }],
    problems: [problem],
    warnings: [problem],
  } as unknown as RevisionDocument;
}

function hostileRoutes(word: string) {
  const routes = [{ slug: word, channel: word, reason: word }];
  return { routes, unknown: [{ slug: word, flag: word }], many: "events" };
}

function startOf(word: string) {
  const start = {
    event: "start",
    at: word,
    who: word,
    pid: 1,
    commit: word,
    manifests: word,
    server: word,
    changes: 1,
  };
  return [start as typeof start & { event: "start" }];
}

/** Lines that we mean to begin so. */
const ours: Readonly<Record<string, RegExp>> = {
  github: /^::(?:error|warning|notice) file=[^:,]*,line=\d+,col=\d+,title=[^:,]*::/,
  html: /^::(?:before|after)(?:,| \{)$/,
};

const renderers = await planRenderers(planKinds);

describe("nobody's words are obeyed, and none are hidden", () => {
  test.each(Object.entries(texts))("%s", (_, show) => {
    for (const attack of attacks) expect(faultsOf(printableLines(show(attack)))).toEqual([]);
    const law = (word: string) => {
      expect(faultsOf(printableLines(show(word)))).toEqual([]);
      expect(
        show(word)
          .split("\n")
          .filter((line) => invisible.test(line)),
      ).toEqual([]);
    };
    fc.assert(fc.property(hostile, law));
  });

  test("text of plans", () => {
    fc.assert(
      fc.property(hostileAndPlain, ({ evil }) => {
        const shown = [planText(evil, catalogueOf(), plain), outcomesText(evil, plain), waiversText(evil)].join("\n");
        expect(faultsOf(printableLines(shown))).toEqual([]);
        // What a word has of its own is already harmless where it stands: only line ends are ours.
        expect(shown.split("\n").filter((line) => invisible.test(line))).toEqual([]);
      }),
    );
  });

  test.each(Object.entries(renderers).filter(([kind]) => kind !== "prometheus"))("plans as %s", (kind, renderer) => {
    const isJson = isJsonKind(kind);
    const own = ours[kind] ?? /^(?!)/;
    fc.assert(
      fc.property(hostileAndPlain, ({ evil }) => {
        const shown = renderer(reportOf(evil), () => undefined);
        const lines = (isJson ? withoutMarks(shown) : shown).split("\n");
        const obeyed = lines.filter((line) => /##\w*\[/.test(line) || (/^\s*::/.test(line) && !own.test(line)));
        expect(obeyed).toEqual([]);
      }),
    );
  });

  test("JSON stays the document that it was", () => {
    const kinds = [{ kind: "projects", left: 1, moving: 0, failed: 0, names: [...attacks] }] as const;
    const json = statusJson("##[x", kinds);
    expect(JSON.parse(withoutMarks(json))).toEqual(JSON.parse(json));
    expect(withoutMarks(json)).not.toMatch(/##\w*\[/);
  });
});
