import { describe, expect, test } from "vitest";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { dialectOfSlugs, otherDialectOf, tellingSlugs } from "../../src/model/dialect-evidence.ts";
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
    expect(/^ {2}release: "(.*)"/m.exec(read("new/evenkeel.yaml"))?.[1]).toBe(release);
    for (const command of [["import", "--all"], ["validate"], ["plan", "--detailed-exitcode"]])
      expect(await evenkeel(...command, "-C", "new")).toMatchObject({ code: 0, stderr: "" });
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
