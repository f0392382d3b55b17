import { expect, test } from "vitest";
import { explainCallFailure } from "../../src/client/explain-failure.ts";
import { CallFailed, findCalledKind } from "../../src/client/failure.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { reader, serve } from "./scripted.ts";

test.each([
  ["GET", "/projects/p/hooks", "grant the fine-grained token the permission Webhook: Read"],
  ["PUT", "/groups/g/hooks/1", "grant the fine-grained token the permission Webhook: Update"],
  ["POST", "/projects/p/variables", "grant the fine-grained token the permission Variable: Create"],
  ["DELETE", "/projects/p/freeze_periods/1", "grant the fine-grained token the permission Freeze Period: Delete"],
  ["PUT", "/projects/p", "grant the fine-grained token the permission Project: Update"],
  ["GET", "/projects/p/labels", "the token is a fine-grained one: grant it this permission"],
] as const)("a fine-grained token that may not %s %s", (method, path, advice) => {
  const call = { method, path, url: `http://localhost/api/v4${path}`, kind: "status", attempts: 1 } as const;
  const said = { what: "answered 403", status: 403, serverMessage: "insufficient_granular_scope: not permitted" };
  const failure = new CallFailed({ ...call, ...said, called: findCalledKind(catalogueOf("gitlab"), call) });
  expect(explainCallFailure(failure)).toMatch(new RegExp(`; ${advice}$`));
});

test("a 401 of a kind whose server denies with it concerns only its project", async () => {
  const server = await serve([{ status: 401, body: { message: "401 Unauthorized" } }]);
  const client = await reader(server.url, { dialect: "gitlab" });
  const failure = await client
    .get({ method: "GET", path: "/projects/1/external_status_checks" })
    .catch((error) => error);
  expect(failure).toMatchObject({ kind: "status", status: 401, endsRun: false });
  expect(explainCallFailure(failure)).toContain(
    "; the token needs the role Maintainer or Owner in this project, and the external status check list needs tier ultimate",
  );
});
