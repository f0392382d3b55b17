import { expect, test } from "vitest";
import { serve } from "../client/scripted.ts";
import { tempFolder } from "../support/folder.ts";
import { runProgram } from "./program.ts";

test("a refusal of a fine-grained token names the permission", async () => {
  const site = await serve(() => ({
    status: 403,
    body: { error: "insufficient_granular_scope", error_description: "Your token lacks [Project: Read]." },
  }));
  const args = ["whoami", "--project", "p", "--report", "json"];
  const refused = await runProgram(args, tempFolder(), { EVENKEEL_TOKEN: "f", EVENKEEL_URL: site.url });
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stdout).project.error).toMatch(
    /Your token lacks \[Project: Read\]\.; the token is a fine-grained one: grant it this permission$/,
  );
});

test("a server that tells nothing of tokens is said to, and what can be read decides", async () => {
  const site = await serve(({ path }) =>
    path.endsWith("/integrations") ? { body: [] } : { status: 404, body: { error: "404 Not Found" } },
  );
  const env = { EVENKEEL_TOKEN: "t", EVENKEEL_URL: site.url };
  const unknown = await runProgram(["whoami"], tempFolder(), env);
  expect(unknown.code).toBe(0);
  expect(unknown.stdout).toContain("The server does not report the owner of this token\n  token    scopes unknown\n");
  expect(unknown.stdout).toMatch(/^\? {4}plan, /m);
  expect(unknown.stdout).toMatch(/^unknown: GET \S+\/user answered 404/m);
  const readable = await runProgram(["whoami", "--project", "p"], tempFolder(), env);
  expect(readable).toMatchObject({ code: 0, stdout: expect.stringContaining("project  p: role unknown, can be read") });
});
