import { describe, expect, test } from "vitest";
import { factorShared } from "../../src/author/import/factor-shared.ts";
import { importProject } from "../../src/author/import/import-project.ts";
import { withReferences } from "../../src/author/import/names.ts";
import type { ImportedEntry } from "../../src/author/import/policy.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import type { Fields, Live, Project } from "../../src/model/types.ts";
import { isReference } from "../../src/model/values.ts";

const platform = { release: "14.5" };
const catalogue = catalogueOf();

type Has = Readonly<Record<string, Fields | "allowed" | "denied">>;

/** Drafts in a few words: selectors, and the keys of entries. `server` names projects that are not imported. */
function draftsFor(
  projects: Readonly<Record<string, Has>>,
  server: readonly string[] = [],
  secrets: "by-project" | "by-group" = "by-project",
) {
  const named = Object.keys(projects).map((name, index): Project => ({ name, path: name, id: index + 1 }));
  const imported = named.map((project) => {
    const live = Object.entries(projects[project.name] ?? {}).map(([key, has]): Live => {
      if (typeof has !== "string") return { kind: "integration", key, active: true, fields: has };
      return { kind: "license", key, active: true, fields: { approval_status: has } };
    });
    return importProject({ project, live, others: [], unread: [] }, platform, catalogue);
  });
  const others = server.map((name, index) => ({ name, path: name, id: 100 + index }));
  const drafts = factorShared(withReferences(imported, { secrets, catalogue }), [...named, ...others], catalogue);
  return drafts.map(({ name, projects: selectors, except, entries }) => {
    return [name, selectors.join(" "), except.join(" "), entries.flatMap(entryWords).join(" ")];
  });
}

/** The key, and what a reader would look at twice. */
function entryWords({ key, fields }: ImportedEntry): readonly string[] {
  const words = Array.from(fields.values(), (value) => (isReference(value) ? value.secret : String(value)));
  return [key, ...words.filter((word) => /^env:|\$\{(?!project\.path)/.test(word))];
}

const irc = (recipients: string) => ({ "irc-gateway": { recipients } });

describe("what projects share", () => {
  test("is said once for all or for a folder, and what differs stays nearer", () => {
    const both = { ...irc("#a"), MIT: "allowed" } as const;
    expect(
      draftsFor({
        "a/x": both,
        "a/y": both,
        "b/x": { ...irc("#b"), mit: "allowed", GPL: "denied" },
        "b/y": { ...irc("#b"), MIT: "allowed" },
        "b/z": { ...irc("#z"), MIT: "allowed" },
      }),
    ).toEqual([
      ["shared", "**", "", "MIT"],
      ["a", "a/**", "", "irc-gateway"],
      ["b", "b/**", "", "irc-gateway"],
      ["b/x", "b/x", "", "GPL"],
      ["b/z", "b/z", "", "irc-gateway"],
    ]);
  });

  test("stays common where a project lacks something else", () => {
    const both = { ...irc("#a"), MIT: "allowed" } as const;
    const projects = { "a/x": both, "a/y": both, "a/v": both, "a/z": { MIT: "allowed" } } as const;
    expect(draftsFor(projects)).toEqual([
      ["a", "a/**", "", "MIT"],
      ["a-irc-gateway", "a/**", "a/z", "irc-gateway"],
    ]);
  });

  test("catches no project that was not imported", () => {
    const projects = { "a/x": irc("#a"), "a/y": irc("#a") };
    expect(draftsFor(projects, ["b/z"])).toEqual([["a", "a/**", "", "irc-gateway"]]);
    expect(draftsFor(projects, ["a/z"])).toEqual([["a", "a/**", "a/z", "irc-gateway"]]);
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`a/${index}x`, irc("#a")]));
    expect(draftsFor(many, ["a/z"])).toEqual([["a", "a/**", "a/z", "irc-gateway"]]);
  });

  test("may hold the path of its project", () => {
    const wiki = (path: string) => ({ "external-wiki": { external_wiki_url: `https://w.example.com/${path}/` } });
    expect(draftsFor({ "a/x": wiki("a/x"), "a/y": wiki("a/y") })).toEqual([["a", "a/**", "", "external-wiki"]]);
    expect(draftsFor({ "a/x": wiki("a/y"), "a/y": wiki("a/x") })).toHaveLength(2);
  });

  test("may hold the name and the ID of its project, if that makes more of them equal", () => {
    const wiki = (words: string) => ({ "external-wiki": { external_wiki_url: `https://w.example.com/${words}/` } });
    expect(draftsFor({ "a/x": wiki("x-1-x"), "a/y": wiki("y-2-y") }).map(([name]) => name)).toEqual(["a/x", "a/y"]);
    expect(draftsFor({ "a/x": wiki("x/1"), "a/y": wiki("y/2") })).toEqual([
      ["a", "a/**", "", "external-wiki https://w.example.com/${project.name}/${project.id}/"],
    ]);
    expect(draftsFor({ "a/x": wiki("x"), "a/y": wiki("x") })).toEqual([["a", "a/**", "", "external-wiki"]]);
  });

  test("is selected by narrower folders where a wide one has many exceptions", () => {
    const mail = { "emails-on-push": { recipients: "a@example.com", disable_diffs: true, push_events: false } };
    const named = (folder: string, has: Has) =>
      ["p", "q"].map((name, index): [string, Has] => [
        `${folder}/${name}`,
        index === 0 ? has : { ...has, GPL: "denied" },
      ]);
    const folders = Array.from({ length: 20 }, (_, index) => `f${10 + index}`);
    const projects = folders.flatMap((folder, index) => named(folder, { MIT: "allowed", ...(index < 12 ? mail : {}) }));
    const mails = draftsFor(Object.fromEntries(projects)).find(([name]) => name === "shared-emails-on-push");
    expect(mails).toEqual([
      "shared-emails-on-push",
      folders
        .slice(0, 12)
        .map((folder) => `${folder}/**`)
        .join(" "),
      "",
      "emails-on-push",
    ]);
  });

  test("has a policy named by what is in it", () => {
    const many = { ...irc("#a"), GPL: "allowed", BSD: "allowed" } as const;
    const few = Object.fromEntries(["p", "q"].map((name) => [`a/${name}`, { MIT: "allowed" } as const]));
    const shared = Object.fromEntries(["x", "y"].map((name) => [`a/${name}`, { MIT: "allowed", ...many } as const]));
    expect(draftsFor({ ...few, ...shared }).map(([name]) => name)).toEqual(["a", "a-integrations-and-licenses"]);
  });

  test("is nothing that nobody can see, unless a group has one name for it", () => {
    const secret = { "chatops-flows": { push_events: true } };
    const projects = { "a/x": secret, "a/y": secret };
    expect(draftsFor(projects).map(([name]) => name)).toEqual(["a/x", "a/y"]);
    expect(draftsFor(projects, [], "by-group")).toEqual([["a", "a/**", "", "chatops-flows env:A_CHATOPS_FLOWS_TOKEN"]]);
  });

  test("is one name for a secret only where it goes to the same place", () => {
    const ci = (url: string) => ({ "ci-build-server-a": { ci_url: url, build_key: "K", username: "u" } });
    const one = "https://one.example.com";
    const drafts = draftsFor({ "a/x": ci(one), "a/y": ci(one), "a/z": ci("https://two.example.com") }, [], "by-group");
    expect(drafts.map((draft) => draft.slice(1))).toEqual([
      ["a/**", "", "ci-build-server-a env:A_CI_BUILD_SERVER_A_PASSWORD"],
      ["a/z", "", "ci-build-server-a env:A_Z_CI_BUILD_SERVER_A_PASSWORD"],
    ]);
  });
});

test("declares a default that the server spells in another way", () => {
  const live = { kind: "integration", key: "irc-gateway", active: true, fields: { recipients: "#a", push_events: 1 } };
  const project = { name: "a/b", path: "a/b", id: 1 };
  const { entries } = importProject({ project, live: [live], others: [], unread: [] }, platform, catalogue);
  expect(entries.map(({ defaults }) => defaults?.get("push_events"))).toEqual([true]);
});
