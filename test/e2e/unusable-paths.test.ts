import { describe, expect, test } from "vitest";
import { scene } from "./workspace.ts";

const policy = { projects: ["**"], licenses: { MIT: "allowed" } };

describe("a path that a server lists and no request can name", () => {
  test.each([
    ["g/.."],
    ["g/."],
    ["../g"],
    ["."],
    ["g//h"],
    ["g/"],
    ["/g"],
    ["g/%2e%2e"],
    ["g/\u0007\u001b[2J"],
    [`g/${"x".repeat(3000)}`],
    ["g/\ud800"],
  ])("%j is a problem of its project at most, and everything else is planned", async (path) => {
    const projects = [{ path: "g/a" }, { path }, { path: "g/b" }];
    const { evenkeelWith, server } = await scene({ projects, policy });
    const ended = await evenkeelWith({}, "plan", "--report", "json");
    const plan = ended.plan();
    const planned = plan.resource_changes.map(({ project }) => project);
    expect(planned).toEqual(expect.arrayContaining(["g/a", "g/b"]));
    expect([1, 2, 0]).toContain(ended.code);
    if (/(^|\/)\.\.?($|\/)/.test(path) || !path.isWellFormed()) {
      expect([ended.code, planned]).toEqual([1, ["g/a", "g/b"]]);
      expect(JSON.stringify(plan)).toContain("names nothing on the server: no part of a path is . or ..");
    }
    expect(server.requests.kept.filter((each) => each.path.includes(".."))).toEqual([]);
  });
});
