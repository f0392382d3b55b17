import { describe, expect, test } from "vitest";
import { factored } from "../../src/import/factor.ts";
import { withReferences } from "../../src/import/names.ts";
import { importProject } from "../../src/import/project.ts";
import type { Fields, Live, Project } from "../../src/model/types.ts";

const platform = { release: "14.5" };

type Has = Readonly<Record<string, Fields | "allowed" | "denied">>;

/** Drafts in a few words: selectors, and the keys of entries. `server` names projects that are not imported. */
function draftsFor(projects: Readonly<Record<string, Has>>, server: readonly string[] = []) {
  const named = Object.keys(projects).map((name, index): Project => ({ name, path: name, id: index + 1 }));
  const imported = named.map((project) => {
    const live = Object.entries(projects[project.name] ?? {}).map(([key, has]): Live => {
      if (typeof has !== "string") return { kind: "integration", key, active: true, fields: has };
      return { kind: "license", key, active: true, fields: { approval_status: has } };
    });
    return importProject({ project, live, others: [], unread: [] }, platform);
  });
  const others = server.map((name, index) => ({ name, path: name, id: 100 + index }));
  const drafts = factored(withReferences(imported), [...named, ...others]);
  return drafts.map(({ name, projects: selectors, except, priority, entries }) => {
    const keys = entries.map(({ key }) => key).join(" ");
    return [name, selectors.join(" "), except.join(" "), keys, ...(priority === undefined ? [] : [priority])];
  });
}

const irc = (recipients: string) => ({ "irc-gateway": { recipients } });

describe("what most projects share", () => {
  test("goes into one policy, and what differs stays nearer", () => {
    expect(
      draftsFor({
        "a/x": { ...irc("#a"), MIT: "allowed" },
        "a/y": { ...irc("#a"), MIT: "allowed" },
        "b/z": { ...irc("#b"), mit: "allowed", GPL: "denied" },
      }),
    ).toEqual([
      ["shared", "**", "", "irc-gateway MIT"],
      ["b/z", "b/z", "", "irc-gateway GPL"],
    ]);
  });

  test("leaves out a project that lacks some of it, with all that it has", () => {
    expect(
      draftsFor({
        "a/x": { ...irc("#a"), MIT: "allowed" },
        "a/y": { ...irc("#a"), MIT: "allowed" },
        "a/z": { MIT: "allowed" },
      }),
    ).toEqual([
      ["shared", "a/**", "a/z", "irc-gateway MIT"],
      ["a/z", "a/z", "", "MIT"],
    ]);
  });

  test("is not widened to what more projects would lack than it saves", () => {
    const [shared] = draftsFor({
      "a/x": { ...irc("#a"), MIT: "allowed" },
      "a/y": { ...irc("#a"), MIT: "allowed" },
      "a/z": { MIT: "allowed" },
      "a/w": { MIT: "allowed", GPL: "denied" },
    });
    expect(shared).toEqual(["shared", "a/**", "", "MIT"]);
  });

  test("catches no project that was not imported: such a one makes it a list", () => {
    const projects = { "a/x": irc("#a"), "a/y": irc("#a") };
    expect(draftsFor(projects, ["b/z"])).toEqual([["shared", "a/**", "", "irc-gateway"]]);
    expect(draftsFor(projects, ["a/z"])).toEqual([["shared", "a/x a/y", "", "irc-gateway", -1]]);
  });

  test("may hold the path of its project", () => {
    const wiki = (path: string) => ({ "external-wiki": { external_wiki_url: `https://w.example.com/${path}/` } });
    expect(draftsFor({ "a/x": wiki("a/x"), "a/y": wiki("a/y") })).toEqual([["shared", "a/**", "", "external-wiki"]]);
    expect(draftsFor({ "a/x": wiki("a/y"), "a/y": wiki("a/x") })).toHaveLength(2);
  });

  test("is nothing that nobody can see, and nothing that few have", () => {
    const secret = { "chatops-flows": { push_events: true } };
    expect(draftsFor({ "a/x": secret, "a/y": secret }).map(([name]) => name)).toEqual(["a/x", "a/y"]);
    const few = { "a/1": irc("#a"), "a/2": irc("#a"), "a/3": irc("#b"), "a/4": irc("#c"), "a/5": irc("#d") };
    expect(draftsFor(few).map(([name]) => name)).not.toContain("shared");
  });
});
