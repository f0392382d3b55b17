import { describe, expect, test } from "vitest";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { dialectOfSlugs, otherDialectOf, tellingSlugs } from "../../src/model/dialect-evidence.ts";
import { folder } from "../support/folder.ts";
import { runProgram } from "./program.ts";
import { scene } from "./workspace.ts";

const integrations = {
  gitlab: { irker: { recipients: "#a" }, "external-wiki": { external_wiki_url: "https://w" } },
  neutral: { "irc-gateway": { recipients: "#a" }, "external-wiki": { external_wiki_url: "https://w" } },
};

const names = ["gitlab", "neutral"] as const;
const other = { gitlab: "neutral", neutral: "gitlab" } as const;

/** What a server may have: integrations that tell, one whose name all dialects share, none, and no project at all. */
const contents = (dialect: (typeof names)[number]) =>
  ({
    "names that tell": [{ path: "p/a" }, { path: "p/b", integrations: integrations[dialect] }],
    "a name that all share": [{ path: "p/a", integrations: { "external-wiki": { external_wiki_url: "https://w" } } }],
    "no integration": [{ path: "p/a" }],
  }) as const;

const servers = names.flatMap((dialect) =>
  ["13.12", "14.5", "15.0", "17.9", "18.0"].flatMap((release) =>
    (["spec", "observed"] as const).flatMap((behaviour) =>
      Object.entries(contents(dialect)).map(([what, projects]) => ({ dialect, release, behaviour, what, projects })),
    ),
  ),
);

describe("init asks the server which names it uses", () => {
  test.each(servers)("$dialect $release, $behaviour, $what", async ({ dialect, release, behaviour, projects }) => {
    const { evenkeel, read, server } = await scene({ dialect, release, behaviour, projects });
    const ran = await evenkeel("init", "new", "--url", server.url);
    expect(ran).toMatchObject({ code: 0, stderr: "", writes: 0 });
    expect(ran.stdout).toContain(`; dialect ${dialect}, because `);
    expect(read("new/evenkeel.yaml").includes("\n  dialect: gitlab\n")).toBe(dialect === "gitlab");
    const stated = /^ {2}release: "(.*)"/m.exec(read("new/evenkeel.yaml"))?.[1];
    expect(stated).toBe(release);
    for (const command of [["import", "--all"], ["validate"], ["plan", "--detailed-exitcode"]])
      expect(await evenkeel(...command, "-C", "new")).toMatchObject({ code: 0, stderr: "" });
  });

  test.each([
    ["gitlab", "17.9", "gitlab"],
    ["gitlab", "14.5", "neutral"],
    ["neutral", "17.9", "neutral"],
  ] as const)("%s %s without a project: %s", async (dialect, release, expected) => {
    const { evenkeel, read, server } = await scene({ dialect, release });
    const ran = await evenkeel("init", "new", "--url", server.url);
    expect(ran.code).toBe(0);
    expect(read("new/evenkeel.yaml").includes("\n  dialect: gitlab\n")).toBe(expected === "gitlab");
    if (expected === dialect && dialect === "gitlab") return;
    expect(ran.stderr).toMatch(/^note: the server did not show which dialect it uses: .*\n$/);
    expect(ran.stdout).toContain("server.dialect in new/evenkeel.yaml: gitlab if it is a GitLab server");
  });

  test("what keeps it from asking is said, and nothing is asked where the flag says it, or without a token", async () => {
    const { evenkeel, evenkeelWith, server } = await scene({ dialect: "gitlab", projects: [{ path: "p/a" }] });
    const wrong = await evenkeelWith({ EVENKEEL_TOKEN: "wrong" }, "init", "a", "--url", server.url);
    expect(wrong).toMatchObject({ code: 0, stderr: expect.stringContaining("401 Unauthorized") });
    const named = await evenkeel("init", "b", "--url", server.url, "--dialect", "neutral");
    expect(named).toMatchObject({ code: 0, stderr: "", reads: 0 });
    const without = await runProgram(["init", "c", "--url", server.url], folder().root);
    expect(without).toMatchObject({ code: 0, stderr: "" });
    expect(without.stdout).toContain("EVENKEEL_TOKEN in the environment");
  });
});

test("what is imported from a server of a later release is valid offline", async () => {
  const projects = [{ path: "p/a", resources: { settings: { environments_access_level: "disabled" } } }];
  const { evenkeel, read, server } = await scene({
    ...{ dialect: "gitlab", release: "17.9.2", behaviour: "observed", projects },
  });
  await evenkeel("init", "new", "--url", server.url);
  expect(read("new/evenkeel.yaml")).toContain('\n  release: "17.9"             # as the server reports');
  expect(await evenkeel("import", "--all", "--kinds", "all", "-C", "new")).toMatchObject({ code: 0, stderr: "" });
  expect(read("new/policies/p/a.yaml")).toContain("environments_access_level: disabled");
  expect(await evenkeel("validate", "-C", "new")).toMatchObject({ code: 0, stderr: "" });
  expect(await evenkeel("plan", "-C", "new", "--detailed-exitcode")).toMatchObject({ code: 0, stderr: "" });
});

test("an import says which release validate has to be told, where nobody stated one", async () => {
  const projects = [{ path: "p/a", resources: { settings: { environments_access_level: "disabled" } } }];
  const site = { dialect: "gitlab" };
  const { evenkeel } = await scene({ dialect: "gitlab", release: "17.9", behaviour: "observed", projects, site });
  const ran = await evenkeel("import", "--all", "--kinds", "all");
  expect(ran.stderr).toMatch(
    /^note: set server\.release: "17\.9\.0" in evenkeel\.yaml for evenkeel validate, .* 14\.5\n$/,
  );
  expect(ran.stdout).toContain("evenkeel plan  compares the policies with the server: no changes");
  expect((await evenkeel("validate")).code).toBe(1);
  expect(await evenkeel("plan", "--detailed-exitcode")).toMatchObject({ code: 0, stderr: "" });
});

test("import works beside the example, whatever its projects are called", async () => {
  const licenses = { MIT: "allowed" };
  const projects = ["example/app", "example/lib", "policies/x"].map((path) => ({ path, licenses }));
  const { evenkeel, files, server } = await scene({ projects });
  for (const option of ["--factor", "--secrets=by-group"]) {
    const folder = `new${option}`;
    await evenkeel("init", folder, "--url", server.url);
    const example = files()[`${folder}/policies/example.yaml`];
    expect(await evenkeel("import", "--all", option, "-C", folder)).toMatchObject({ code: 0, stderr: "" });
    expect(files()[`${folder}/policies/example.yaml`]).toBe(example);
    const planned = await evenkeel("plan", "-C", folder, "--report", "json");
    expect(planned.plan().summary).toMatchObject({ projects: 3, writes: 0 });
  }
});

describe("a workspace in the names of another dialect than its server", () => {
  const policy = { projects: ["p/*"], licenses: { MIT: "allowed" } };
  const commands = [
    ["plan"],
    ["drift"],
    ["apply", "--yes"],
    ["apply", "--dry-run"],
    ["import", "--all"],
    ["import", "--all", "--factor"],
  ];

  test.each(names.flatMap((dialect) => commands.map((command) => [dialect, command] as const)))(
    "server %s: %j stops with what to do",
    async (dialect, command) => {
      const declared = { ...policy, disabled: [dialect === "gitlab" ? "irc-gateway" : "irker"] };
      const { evenkeel, files } = await scene({
        ...{ dialect, policy: declared, site: { dialect: other[dialect], release: "14.5" } },
        projects: contents(dialect)["names that tell"],
      });
      const before = Object.keys(files());
      const ran = await evenkeel(...command);
      expect(ran).toMatchObject({ code: 1, writes: 0 });
      expect(ran.stderr).toMatch(
        new RegExp(`in the names of dialect ${dialect}.*: set server\\.dialect: ${dialect} in`),
      );
      expect(Object.keys(files()).filter((file) => !file.startsWith(".evenkeel"))).toEqual(before);
    },
  );

  test("a server with names of both, or of neither, is read", async () => {
    const { evenkeel } = await scene({ policy, projects: [{ path: "p/a", integrations: { alerts: { x: 1 } } }] });
    expect((await evenkeel("plan")).code).toBe(0);
  });
});

test("slugs tell a dialect if they are names of one alone, and agree", () => {
  for (const dialect of names) {
    const telling = tellingSlugs(dialect);
    const shared = [...catalogueOf(dialect).integrations.keys()].filter((slug) => !telling.includes(slug));
    for (const slug of telling) {
      expect(dialectOfSlugs([...shared, slug, "alerts"])?.dialect).toBe(dialect);
      expect(otherDialectOf(catalogueOf(dialect), [slug])).toBeUndefined();
      expect(dialectOfSlugs([slug, tellingSlugs(other[dialect])[0] ?? ""])).toBeUndefined();
    }
    expect(dialectOfSlugs(shared)).toBeUndefined();
  }
});
