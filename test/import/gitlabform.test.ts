import { expect, test } from "vitest";
import { importGitlabform } from "../../src/author/import/from/gitlabform/import.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";

const choice = { catalogue: catalogueOf(), platform: { release: "14.5" }, secrets: "by-project" } as const;
const read = (text: string) => importGitlabform({ name: "config.yml", text }, choice);
const sentences = (text: string) =>
  read(text).problems.map(({ severity, place, message }) => `${severity} ${place?.line}:${place?.column} ${message}`);

test("what cannot be read is said with its place, and nothing of a secret", () => {
  const below = (text: string) => sentences(`projects_and_groups:\n  "*":\n    integrations: ${text}\n`);
  expect(sentences("a: [")).toEqual([expect.stringMatching(/^error 2:1 /)]);
  expect(sentences("common_settings: {}")).toEqual([expect.stringContaining("common_settings is of config_version 1")]);
  expect(sentences("a: 1\n---\nb: 2")).toEqual([expect.stringContaining("expected one document")]);
  expect(sentences("projects_and_groups: {a/b: { x: 1 }, A/b: { x: 1 }}")).toContain(
    "error 1:38 A/b stands there twice, in another case",
  );
  expect(sentences("project_and_groups: {}")).toEqual([expect.stringContaining("found project_and_groups")]);
  expect(sentences("a: 1\nprojects_and_groups:\na/*: {}")).toEqual([
    "error 2:1 expected projects_and_groups, a mapping, as in a gitlabform configuration",
  ]);
  expect(below("[slack]")).toEqual(["error 3:5 expected integrations to be a mapping"]);
  expect(below("{ slack: CANARY }")).toEqual([
    "error 3:21 expected slack to be a mapping of parameters, or delete: true",
  ]);
  expect(below("{ slack: { inherit: true } }")).toEqual(["error 3:30 inherit can only be false"]);
  expect(below("{ slack: { webhook: CANARY, CANARYx: [CANARY] } }").join()).toBe(
    "warning 3:47 CANARYx is left out: slack has no such parameter",
  );
  expect(below("{ slack: { channel: [CANARY], webhook: { a: CANARY } } }").join()).not.toMatch("CANARY");
  expect(sentences("config_version: 4\nprojects_and_groups: { a/b: { services: {} } }")).toEqual([
    expect.stringContaining("gitlabform ignores it since config_version 3"),
  ]);
  expect(
    sentences('projects_and_groups: { "a*/*": { hooks: { skip: true } }, "b": { hooks: { skip: true } } }'),
  ).toEqual([
    expect.stringContaining("takes no wildcards in the name of a group"),
    expect.stringContaining("expected GROUP/PROJECT, GROUP/* or *"),
  ]);
});

test("services of old configurations, and yes where YAML 1.1 says so", () => {
  const settings = "project_settings: { container_expiration_policy: { enabled: true } }";
  const old = `config_version: 2\nprojects_and_groups: { a/b: { services: { slack: { push_events: yes } }, ${settings} } }`;
  const current = "config_version: 4\nprojects_and_groups: { a/b: { integrations: { slack: { push_events: yes } } } }";
  for (const text of [current, `%YAML 1.2\n---\n${old}`])
    expect(sentences(text)).toContainEqual(
      expect.stringMatching(/expected true or false, got a string; yes is a text in YAML 1.2, write true$/),
    );
  for (const text of [old, `%YAML 1.1\n---\n${current}`]) {
    const { drafts, problems } = read(text);
    expect(problems).toEqual([]);
    expect(drafts[0]?.entries[0]?.fields.get("push_events")).toEqual({ form: "value", value: true });
  }
});

test("aliases that make a file huge or endless end soon", () => {
  const levels = Array.from(
    { length: 12 },
    (_, index) => `  l${index + 1}: &l${index + 1} [${Array(9).fill(`*l${index}`)}]\n`,
  );
  const bomb = `x:\n  l0: &l0 [a]\n${levels.join("")}projects_and_groups: { "*": { integrations: { slack: *l12 } } }\n`;
  expect(sentences(bomb).slice(1)).toEqual([
    expect.stringMatching(/^error 15:\d+ aliases make this more than 200000 values$/),
  ]);
  const loop = 'projects_and_groups: { "*": { integrations: &a { slack: *a } } }';
  expect(sentences(loop)).toEqual([expect.stringMatching(/aliases make this/)]);
  const proto = 'projects_and_groups: { "*": { integrations: { __proto__: { a: 1 }, constructor: { b: 1 } } } }';
  expect(sentences(proto)).toHaveLength(2);
});

test("sections about anything else are named, each once, with every place", () => {
  const text = `projects_and_groups:
  "*": { files: { enforce: true }, integrations: { irker: { recipients: a } } }
  a/*:
    project_settings: &s { visibility: private }
    files: {}
    integrations: {}
  a/b:
    <<: { labels: { bug: {} } }
    skip: true
`;
  expect(sentences(text).filter((each) => each.includes("is left out ("))).toEqual([
    "warning 2:10 files is left out (2 sections, also at config.yml:5:5): policies have no files",
    "warning 9:5 skip is left out (1 section): no kind of resource is about it",
  ]);
});

test("what has no effect is reported where it stands", () => {
  const text = `gitlab: { url: https://gitlab.example.com }
.shared: &shared { bug: { color: red } }
skip_projects: [a/left]
skip_groups: [old/*]
projects_and_groups:
  "*":
    labels: { <<: *shared, idea: { color: blue, shade: x } }
    branches: { main: { protected: maybe }, dev: { protected: false, push_access_level: developer } }
  a/*:
    labels: { idea: { color: blue, shade: x } }
    tags: { v*: { protected: true, name: w, create_access_level: null } }
    hooks: { skip: true, https://x.example.com: { push_events: true } }
    badges: { skip: on }
    variables: {}
  a/left: { labels: { bug: { color: red } } }
  old/*: { labels: { bug: { color: red } } }
  b/p*: { labels: { bug: { color: red } } }
  b/p**: { labels: { bug: { color: red } } }
  c/*:
  c/p: text
  d/: { labels: { bug: { color: red } } }
  e/*: { project: { archive: true }, labels: { bug: { color: red } } }
  e/p: { project: { archive: false }, schedules: { s: { ref: main, cron: "H H(1-5) * * *" } } }
`;
  expect(sentences(text).toSorted()).toEqual(
    [
      "warning 1:1 gitlab is left out: evenkeel.yaml states the server",
      "warning 2:1 .shared is left out: gitlabform reads no such key; aliases of it are followed",
      "warning 7:49 shade of idea of labels is left out: labels have no such field",
      "warning 8:25 main of branches is left out: expected protected to be true or false",
      "warning 8:70 push_access_level of dev of branches is left out: it has to be absent",
      "warning 10:36 shade of idea of labels is left out: labels have no such field",
      "warning 11:36 name of v* of tags is left out: another key decides it",
      "warning 11:45 create_access_level of v* of tags is left out: it is empty",
      "warning 12:5 hooks is left out here: it has skip: true",
      "warning 13:5 badges is left out here: expected skip to be true or false",
      "warning 14:5 variables is left out here: it is empty",
      "warning 15:3 a/left is left out: skip_projects contains it",
      "warning 16:3 old/* is left out: skip_groups contains it",
      "warning 18:3 b/p** is left out: another pattern has the same projects",
      "warning 19:3 c/* is left out: it is empty",
      "warning 20:3 c/p is left out: expected a mapping of sections",
      "warning 21:3 d/ is left out: expected GROUP/PROJECT, GROUP/* or *",
      "warning 22:3 e/* is left out: project.archive is true",
      "warning 22:10 project is left out (2 sections, also at config.yml:23:10): policies archive and move no projects",
      "warning 23:52 s of schedules is left out: cron is required, and not stated",
      "warning 23:68 cron of s of schedules is left out: gitlabform chooses another time for each project",
    ].toSorted(),
  );
});

test("what gitlabform leaves alone because it is archived is an exception of the policies around it", () => {
  const { drafts } = read(`projects_and_groups:
  a/*: { labels: { bug: { color: red } } }
  a/old/*: { project: { archive: true } }
  a/old/p: { project: { archive: false } }
`);
  expect(drafts.map(({ projects, except }) => [projects, except])).toEqual([
    [["a/**"], ["a/old/**"]],
    [["a/old/p"], []],
  ]);
});

test("topics that are removed are not among those that a policy states", () => {
  const topics = (list: string) => {
    const { drafts, problems } = read(`projects_and_groups: { a/b: { project_settings: { topics: ${list} } } }`);
    return [drafts[0]?.entries[0]?.fields.get("topics"), ...problems.map(({ message }) => message)];
  };
  const value = (...texts: string[]) => ({ form: "value", value: texts });
  const left = (why: string) => [undefined, `topics of project_settings is left out: ${why}`];
  expect(topics("[a, { b: { delete: true } }, { c: { delete: false } }, { keep_existing: false }]")).toEqual([
    value("a", "c"),
  ]);
  expect(topics("[a, { keep_existing: true }]")).toEqual(
    left("keep_existing keeps others, and policies state all of them"),
  );
  for (const odd of [
    "{ b: { delete: maybe } }",
    "{ b: { remove: true } }",
    "{ b: x }",
    "{ b: {}, c: {} }",
    "{ keep_existing: x }",
  ])
    expect(topics(`[a, ${odd}]`)).toEqual(left("expected a list, each item a string, got a list with a mapping"));
});
