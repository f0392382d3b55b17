import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { checkParameters } from "../../src/model/parameter-check.ts";
import { explain, explainKinds, kindFiles } from "../../src/report/explain.ts";
import { kindExample } from "../../src/report/kind-words.ts";
import { type Palette, plain } from "../../src/report/terminal.ts";

const catalogue = catalogueOf();
const { integrations } = catalogue;

function explained(selection?: string) {
  const found = explain(catalogue, selection);
  if ("unknown" in found) throw new Error(found.unknown);
  return found;
}

const text = (selection?: string, palette = plain) => explained(selection).text(palette);
const json = (selection?: string) => explained(selection).json;

describe("integrations for scripts", () => {
  test("gives every integration, in order, with every parameter", () => {
    const all = json() as readonly { slug: string; parameters: readonly object[] }[];
    expect(all.map(({ slug, parameters }) => [slug, parameters.length])).toEqual(
      [...integrations].map(([slug, { parameters }]) => [slug, parameters.size]),
    );
  });

  test("gives one integration, null where nothing is said", () => {
    expect(json("code-host-status")).toEqual([
      {
        slug: "code-host-status",
        tier: "premium",
        introduced: null,
        removed: null,
        environment: null,
        parameters: [
          expected("token", { required: true, secret: true }),
          expected("repository_url", { required: true }),
          expected("static_context", { type: "boolean" }),
        ],
      },
    ]);
  });

  test.each([
    [
      "emails-on-push.branches_to_be_notified",
      {
        enum: ["all", "default", "protected", "default_and_protected"],
        default: "all",
      },
    ],
    ["issue-tracker-full.active", { type: "boolean", default: false }],
    ["issue-tracker-full.tracker_issue_transition_id", { default: "" }],
    ["chat-webhook-d.notify_only_default_branch", { type: "boolean", deprecated: true }],
    ["package-repo-update.server", { type: "string|boolean" }],
    ["irc-gateway.server_port", { type: "integer" }],
  ])("gives one parameter: %s", (selection, differences) => {
    const [slug, name = ""] = selection.split(".");
    expect(json(selection)).toMatchObject([{ slug, parameters: [expected(name, differences)] }]);
  });

  test("says when an integration is to be had", () => {
    expect(json("wiki-cloud-workspace")).toMatchObject([{ introduced: "13.2", removed: null }]);
    expect(json("ci-build-server-c-legacy")).toMatchObject([{ introduced: null, removed: "13.0" }]);
    expect(json("mock-ci")).toMatchObject([{ environment: "development" }]);
  });
});

function expected(name: string, differences: object): object {
  const plainest = { type: "string", required: false, enum: null, default: null, deprecated: false, secret: false };
  return { name, ...plainest, ...differences };
}

test.each([
  ["irc-gatway", 'there is no integration or kind "irc-gatway"; did you mean irc-gateway?'],
  [
    "kubernetes",
    'there is no integration or kind "kubernetes"; evenkeel explain lists the integrations, evenkeel explain --kinds the kinds',
  ],
  ["irc-gatway.recipients", 'there is no integration or kind "irc-gatway"; did you mean irc-gateway?'],
  ["irc-gateway.server_prt", 'irc-gateway has no parameter "server_prt"; did you mean server_port?'],
  ["irc-gateway.", 'irc-gateway has no parameter ""'],
  [
    "",
    'there is no integration or kind ""; evenkeel explain lists the integrations, evenkeel explain --kinds the kinds',
  ],
])("%j is unknown", (selection, unknown) => {
  expect(explain(catalogue, selection)).toEqual({ unknown });
});

describe("integrations for people", () => {
  test("lists a line an integration below a heading", () => {
    const lines = text().split("\n");
    expect(lines).toHaveLength(integrations.size + 3);
    expect(lines.at(-1)).toBe("Other kinds of resources: evenkeel explain --kinds");
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}irc-gateway +IRC gateway +free$/));
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}mock-ci .* free +in environment development only$/));
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}wiki-cloud-workspace .* from release 13\.2 on$/));
  });

  test("tells all of one integration", () => {
    expect(text("issue-tracker-full")).toBe(`issue-tracker-full  Issue tracker (full)
Links to an issue tracker, comments on its issues and transitions them.

Available: tier free

  field                               takes                   notes
  url                                 text                    required
  api_url                             text
  username                            text                    required
  password                            text                    required, secret
  active                              boolean; default false
  tracker_issue_transition_automatic  boolean; default false
  tracker_issue_transition_id         text; default ""
  commit_events                       boolean
  merge_requests_events               boolean
  comment_on_event_enabled            boolean

In a policy:

integrations:
  issue-tracker-full:
    url: https://example.com
    username: <username>
    password: { secret: env:ISSUE_TRACKER_FULL_PASSWORD }
    active: true`);
  });

  test("notes what is odd about a parameter", () => {
    expect(text("chat-webhook-d")).toContain("deprecated: use branches_to_be_notified instead");
    expect(text("issue-tracker-workflow")).toContain("contains :id");
    expect(text("pipelines-email")).toContain("a comma-separated list");
    expect(text("pipelines-email")).toContain("from release 12.0 on");
  });

  test("tells all of one parameter", () => {
    expect(text("issue-tracker-full.tracker_issue_transition_id")).toBe(`issue-tracker-full.tracker_issue_transition_id
One or more transition IDs. The default, a blank string, disables custom transitions. Ignored if tracker_issue_transition_automatic is enabled.

  takes  text; default ""`);
  });

  test.each([...integrations.keys()])("the example for %s is one that passes the check", (slug) => {
    const example = text(slug).split("In a policy:\n\n")[1] ?? "";
    const policy = parse(example) as { integrations: Record<string, Record<string, unknown>> };
    const written = Object.entries(policy.integrations[slug] ?? {});
    const sent = written.map(([name, value]) => [name, typeof value === "object" ? "resolved" : value]);
    expect(checkParameters(slug, Object.fromEntries(sent))).toEqual([]);
  });

  test.each([...integrations.keys()])(
    "the example for %s holds references where secrets go, and only there",
    (slug) => {
      const example = text(slug).split("In a policy:\n\n")[1] ?? "";
      const { parameters } = integrations.get(slug) ?? { parameters: new Map() };
      const secrets = [...parameters.values()]
        .filter((each) => each.secret && each.isRequired)
        .map((each) => each.name);
      const references = [...example.matchAll(/^ {4}(\w+): \{ secret: env:[A-Z_]+ \}$/gm)].map(([, name]) => name);
      expect(references).toEqual(secrets);
    },
  );

  test("colours mark, and change no word", () => {
    const mark = (painted: string) => `\u001b[1m${painted}\u001b[0m`;
    const loud: Palette = { add: mark, change: mark, remove: mark, strong: mark, faint: mark, warn: mark };
    for (const selection of [undefined, "irc-gateway", "irc-gateway.server_port"]) {
      const painted = text(selection, loud);
      expect(painted).toContain("\u001b[1m");
      expect(painted.replaceAll("\u001b[1m", "").replaceAll("\u001b[0m", "")).toBe(text(selection));
    }
  });
});

describe("kinds of resources", () => {
  test("are listed each once, with their owners and keys", () => {
    const rows = explainKinds(catalogue).text(plain).split("\n");
    const words = rows.slice(1).map((row) => row.trim().split(/ {2,}/)[0]);
    expect(new Set(words)).toEqual(
      new Set(kindFiles(catalogue).map(({ name, under }) => (under ? `${under}.${name}` : name))),
    );
    expect(rows.find((row) => /^ {2}variables .*project/.test(row))).toMatch(
      / variable +project +key@environment_scope /,
    );
  });

  test("are named by their section or by the word in addresses, and have their fields and an example", () => {
    const shown = text("webhook");
    expect(shown).toBe(text("webhooks"));
    expect(shown).toMatch(/^ {2}token +text +secret$/m);
    expect(shown).toContain('webhooks:\n  "https://example.com": {');
  });

  test("one without a title, a description and limits leaves no gap", () => {
    const calls = {
      list: "GET /projects/:id/things",
      create: "POST /projects/:id/things",
      delete: "DELETE /projects/:id/things/:row.id",
    };
    const fields = { required: ["url"], properties: { url: { type: "string" } } };
    const kind = { name: "things", singular: "thing", of: "project", key: "url", calls, fields } as never;
    const own = { ...catalogue, kinds: new Map([["thing", { file: kind } as never]]) };
    const found = explain(own, "thing");
    expect("unknown" in found ? "" : found.text(plain)).toMatch(/^things\n\n {2}field +takes +notes\n/);
  });

  test("a field alone says what it takes, words of numbers among it; one that there is not has the nearest name", () => {
    const selection = "protected_branches.push_access_level";
    expect(text(selection)).toContain("takes  no one, developer, maintainer, admin; default maintainer");
    expect(json(selection)).toMatchObject([
      { kind: "protected_branch", of: ["project"], fields: [{ immutable: false, default: 40 }] },
      { kind: "protected_branch", of: ["group"], fields: [{ immutable: false, default: 40 }] },
    ]);
    const unknown = 'webhooks has no field "tken"; did you mean token?';
    expect(explain(catalogue, "webhooks.tken")).toEqual({ unknown });
  });

  test.each(kindFiles(catalogue).map((kind) => [kind.name, kind] as const))(
    "the example of %s is YAML",
    (name, kind) => {
      expect(Object.keys(parse(kindExample(kind).join("\n")))).toEqual([kind.under ?? name]);
    },
  );
});

describe("words that are no names", () => {
  test.each([
    ["merge_method", /^settings\.merge_method\n/],
    ["hooks", /"hooks" is a word in:\n\n {2}name .*\n {2}webhooks {2}/],
    ["allowed_to_push", /\n {2}written +\[\{ access_level: no one \}, \{ user: ada \}, /],
    ["mirror", /^pull_mirror {2}/],
    ["push_events", /"push_events" is a word in:\n\n {2}name .*\n {2}webhooks\.push_events {2}/],
  ])("%s is found", (word, expected) => {
    expect(text(word)).toMatch(expected);
    expect(json(word).length).toBeGreaterThan(0);
  });
});
