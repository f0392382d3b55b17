import { expect, test } from "vitest";
import { concernsProject } from "../../src/client/explain-failure.ts";
import { CallFailed } from "../../src/client/failure.ts";

test.each([
  [403, "403 Forbidden", true],
  [403, '{"error":"insufficient_scope"}', true],
  [403, '{"error":"insufficient_granular_scope"}', false],
  [403, "403 Forbidden - slack needs tier premium", false],
  [404, "404 Project Not Found", true],
  [404, "404 Group Not Found", true],
  [404, "404 Not Found", false],
  [404, "404 Target Project Not Found", false],
  [400, "name is missing", false],
])("a %i of %j concerns the whole project: %s", (status, serverMessage, expected) => {
  const call = { method: "POST", path: "/projects/p/labels", url: "http://localhost", kind: "status" } as const;
  expect(concernsProject(new CallFailed({ ...call, what: "", attempts: 1, status, serverMessage }))).toBe(expected);
});
