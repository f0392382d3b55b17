import { describe, expect, test } from "vitest";
import { changes, outcomes, runs } from "./runs.ts";

const fleet = Array.from({ length: 250 }, (_, index) => ({
  path: `g/p${index}`,
  resources: { settings: { visibility: index === 7 ? "public" : "private", ci_default_git_depth: 20 } },
}));
const settings = { visibility: "private", emails_enabled: true, container_expiration_policy: { enabled: false } };

const depth = { type: "integer" };
const read = "row.?depth.orValue(0)";

/** The requests by their path below the API, with numbers and names as N. */
function countByRoute(requests: readonly string[]): Readonly<Record<string, number>> {
  const routes = requests.map((line) => line.replace(/\/projects\/[^?]+/, "/projects/N").replace(/\?.*/, ""));
  return Object.fromEntries(
    [...new Set(routes)].map((route) => [route, routes.filter((each) => each === route).length]),
  );
}

describe("a singleton that reads the project itself", () => {
  test("is read from the list that a glob needs", async () => {
    const { plan, asked } = await runs({ projects: fleet, policy: { projects: ["g/*"], settings } });
    const planned = await plan();
    expect(changes(planned)).toEqual(["update g/p7:settings"]);
    expect(countByRoute(asked())).toEqual({ "GET /projects": 3 });
    expect(planned.plan.summary.reads).toBe(3);
  });

  test("is read from the list that where needs, and from the row of a named project", async () => {
    const where = 'project.visibility == "public"';
    const globs = await runs({ projects: fleet, policy: { projects: ["g/*"], where, settings } });
    expect(changes(await globs.plan())).toEqual(["update g/p7:settings"]);
    expect(countByRoute(globs.asked())).toEqual({ "GET /projects": 3 });
    const named = await runs({ projects: fleet, policy: { projects: ["g/p7"], where, settings } });
    expect(changes(await named.plan())).toEqual(["update g/p7:settings"]);
    expect(countByRoute(named.asked())).toEqual({ "GET /projects/N": 1 });
  });

  test.each<[string, object]>([
    ["the list lacks what a declared field reads", { fields: { properties: { depth: { ...depth, "x-read": read } } } }],
    [
      "effects depend on all fields",
      { loosened: "after != null", fields: { properties: { name: { type: "string" } } } },
    ],
  ])("is read by itself where %s", async (_, words) => {
    const kind = {
      ...{ apiVersion: "evenkeel/v1", kind: "ResourceKind", name: "extras", singular: "extra", of: "project" },
      calls: { show: "GET /projects/:id", update: "PUT /projects/:id" },
      needs: { tier: "free", release: "9.0" },
      ...words,
    };
    const extras = "loosened" in words ? { name: "p" } : { depth: 1 };
    const { write, plan, asked } = await runs({
      projects: fleet.slice(0, 3),
      policy: { projects: ["g/*"], extras, settings },
    });
    write("extras.yaml", JSON.stringify(kind));
    expect((await plan()).plan.problems).toEqual([]);
    expect(countByRoute(asked())).toEqual({ "GET /projects": 1, "GET /projects/N": 3 });
  });

  test("is read again before a saved plan is applied", async () => {
    const projects = fleet.slice(0, 9);
    const { root, evenkeel, apply, ask, asked } = await runs({ projects, policy: { projects: ["g/*"], settings } });
    await evenkeel("plan", "--out", "plan.json");
    await ask("PUT", "/projects/g%2Fp7", { json: { visibility: "internal" } });
    asked();
    expect(outcomes(await apply({ saved: `${root}/plan.json` }))).toEqual(["stale g/p7:settings"]);
    expect(asked()).toContain("GET /projects/g/p7");
  });

  test("shares with groups are read from the same row", async () => {
    const projects = [{ path: "g/a" }, { path: "h/b" }];
    const policy = { projects: ["*/*"], shared_groups: { h: { group_access: "developer" } } };
    const { plan, asked } = await runs({ projects, policy });
    expect(changes(await plan())).toEqual(["create g/a:shared_group/h", "create h/b:shared_group/h"]);
    expect(countByRoute(asked())).toEqual({ "GET /projects": 1, "GET /groups/h": 1 });
  });
});
