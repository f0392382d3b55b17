import { execFile } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { createServer as createPlatform } from "../../src/server/server.ts";
import { install } from "./install.ts";

const root = inject("root");
const repository = join(import.meta.dirname, "../..");
const packages = { npm: ["@opentelemetry/sdk-node@0.223", "@opentelemetry/instrumentation-undici@0.33"] };

test("traces requests to the server without queries, and none to a chat", async ({ skip, onTestFinished }) => {
  const reason = await install({ name: "opentelemetry", packages }, root);
  if (reason) skip(`@opentelemetry/sdk-node cannot be installed here: ${reason}`);
  const platform = await createPlatform({ seed: { projects: [{ path: "g/a" }] }, token: "a-token" });
  const { url } = platform;
  onTestFinished(() => platform.close());
  const told: string[] = [];
  const chat = createServer(({ url: path = "" }, response) => {
    told.push(path);
    response.end("ok");
  });
  await new Promise<void>((resolve) => chat.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void chat.close());
  const chatUrl = `http://127.0.0.1:${(chat.address() as AddressInfo).port}/CANARY`;
  const folder = join(root, "traced");
  mkdirSync(folder, { recursive: true });
  cpSync(join(repository, "examples/opentelemetry/instrumentation.mjs"), join(root, "instrumentation.mjs"));
  writeFileSync(
    join(folder, "evenkeel.yaml"),
    `apiVersion: evenkeel/v1\nkind: Workspace\nserver: { url: ${url} }\nnotify: [{ url: { secret: env:CHAT } }]\n`,
  );
  writeFileSync(
    join(folder, "policy.yaml"),
    "apiVersion: evenkeel/v1\nkind: Policy\nname: p\nprojects: [g/a, g/missing]\nlicenses: { MIT: allowed }\n",
  );
  const env = { EVENKEEL_URL: url, EVENKEEL_TOKEN: "a-token", CHAT: chatUrl, OTEL_TRACES_EXPORTER: "console" };
  const cli = join(repository, "dist/cli.js");
  const args = ["--import", join(root, "instrumentation.mjs"), cli, "watch", "--every", "1h", "--max-checks", "1"];
  const options = { cwd: folder, env: { ...env, PATH: process.env.PATH, HOME: folder } };
  // The check fails, because a project is missing: that is what the chat is told.
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, options, (_, stdout) => resolve(stdout));
  });
  expect(told).toEqual(["/CANARY"]);
  expect(output).toContain(`'url.full': '${url}/api/v4/projects`);
  expect(output).not.toMatch(/CANARY|per_page|a-token/);
});
