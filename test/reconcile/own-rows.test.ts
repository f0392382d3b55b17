import { expect, test } from "vitest";
import { changes, runs } from "./runs.ts";

const fleet = Array.from({ length: 250 }, (_, index) => ({
  path: `g/p${index}`,
  resources: { settings: { visibility: index === 7 ? "public" : "private", ci_default_git_depth: 20 } },
}));
const settings = { visibility: "private", emails_enabled: true, container_expiration_policy: { enabled: false } };

/** The requests by their path below the API, with numbers and names as N. */
function countByRoute(requests: readonly string[]): Readonly<Record<string, number>> {
  const routes = requests.map((line) => line.replace(/\/projects\/[^?]+/, "/projects/N").replace(/\?.*/, ""));
  return Object.fromEntries(
    [...new Set(routes)].map((route) => [route, routes.filter((each) => each === route).length]),
  );
}

test("a singleton that reads the project itself is read from the list that a glob needs", async () => {
  const { plan, asked } = await runs({ projects: fleet, policy: { projects: ["g/*"], settings } });
  const planned = await plan();
  expect(changes(planned)).toEqual(["update g/p7:settings"]);
  expect(countByRoute(asked())).toEqual({ "GET /projects": 3 });
  expect(planned.plan.summary.reads).toBe(3);
});
