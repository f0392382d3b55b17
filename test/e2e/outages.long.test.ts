import http from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { closedPort } from "../client/scripted.ts";
import { atEnd } from "../support/ending.ts";
import { scene } from "./workspace.ts";

const names = Array.from({ length: 30 }, (_, index) => `p${index}`);
const fleet = { projects: names.map((path) => ({ path })), policy: { projects: names, licenses: { MIT: "allowed" } } };

interface Balancer {
  readonly url: string;
  readonly posts: string[];
  readonly isAway: () => boolean;
}

/**
 * Passes requests on to a server. As soon as POSTs have had their effect there and no other is under way, it cuts all
 * connections before any POST is answered, and listens again after so many milliseconds.
 */
async function balancer(target: string, away: number): Promise<Balancer> {
  const posts: string[] = [];
  let held = 0;
  let isAway = false;
  const listener = http.createServer((request, response) => {
    if (request.method === "POST") posts.push(request.url ?? "");
    const { method, headers, url } = request;
    const onward = http.request(`${target}${url}`, { method, headers }, (answer) => {
      if (method === "POST" && !isAway) {
        answer.resume();
        if (held++ === 0) restartWhenHeld();
        return;
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  const listen = (port: number) =>
    new Promise<number>((resolve) => {
      listener.listen(port, "127.0.0.1", () => resolve((listener.address() as AddressInfo).port));
    });
  const port = await listen(0);
  const restartWhenHeld = () => {
    const before = posts.length;
    setTimeout(() => (held === before && held === posts.length ? restart() : restartWhenHeld()), 50);
  };
  const restart = () => {
    isAway = true;
    listener.close(() => setTimeout(() => listen(port), away));
    listener.closeAllConnections();
  };
  atEnd(() => {
    listener.close();
    listener.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${port}`, posts, isAway: () => isAway };
}

test("a balancer that restarts in the middle of an apply costs nothing but time, and no POST is sent twice", async () => {
  const { server, evenkeelWith } = await scene(fleet);
  const between = await balancer(new URL(server.url).origin, 1500);
  const ran = await evenkeelWith({ EVENKEEL_URL: between.url }, "apply", "--yes", "--give-up-after", "5m");
  expect(ran.stdout).toContain("Apply: 30 applied.\n");
  expect([ran.code, between.isAway()]).toEqual([0, true]);
  expect(new Set(between.posts).size).toBe(between.posts.length);
});

test("a balancer that stays away ends the run, and each change tells its own failure", async () => {
  const { server, evenkeelWith } = await scene(fleet);
  const env = { EVENKEEL_URL: (await balancer(new URL(server.url).origin, 60_000)).url };
  const ran = await evenkeelWith(env, "apply", "--yes", "--give-up-after", "500ms", "--report", "json");
  expect(ran.code).toBe(1);
  for (const { project, outcome } of ran.plan().resource_changes) {
    const error = outcome?.error ?? "";
    expect(["unknown", "failed", "skipped"]).toContain(outcome?.status);
    if (outcome?.status !== "skipped") expect(error).toContain(`/projects/${project}/`);
    if (outcome?.status === "unknown") expect(error).toContain("the server answered nothing for 0.5 s");
  }
});

describe("a server that never answered", () => {
  test("and cannot be connected to is not waited for, unless somebody says so", async () => {
    const { evenkeelWith } = await scene(fleet);
    const env = { EVENKEEL_URL: `http://127.0.0.1:${await closedPort()}` };
    const at = performance.now();
    const ran = await evenkeelWith(env, "plan", "--give-up-after", "300ms");
    expect(performance.now() - at).toBeGreaterThan(300);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("the server answered nothing for 0.3 s");
    expect(ran.stderr.match(/was not sent/g)).toHaveLength(1);
  });

  test("and takes requests ends the run after --give-up-after", async () => {
    const { evenkeel } = await scene({ ...fleet, chaos: [{ match: "*", hang: true }] });
    const ran = await evenkeel("plan", "--give-up-after", "300ms");
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("the server answered nothing for 0.3 s");
  });
});
