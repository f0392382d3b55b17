import { request as ask, type RequestListener } from "node:http";
import { expect, test } from "vitest";
import { pathOf, pem, serveProxy, serveTls } from "../client/networks.ts";
import { scene, token } from "./workspace.ts";

const policy = { projects: ["pay/api"], licenses: { MIT: "allowed" } };
const projects = [{ path: "pay/api", licenses: { MIT: "denied" } }];

/** Hands on what lies below /code to a server, and answers 404 to the rest. */
function below(url: string): RequestListener {
  return (request, response) => {
    const { method, headers, url: path = "" } = request;
    if (!path.startsWith("/code/")) return response.writeHead(404).end();
    const onward = ask(url + path.slice("/code".length), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    return request.pipe(onward);
  };
}

/** A company's network: a server below a path that asks for client certificates, and a proxy alone that knows it. */
async function company() {
  const workspace = await scene({ projects, policy, site: { ca: "ca/authority.pem" } });
  workspace.write("ca/authority.pem", pem("authority.pem"));
  const server = await serveTls({ requestCert: true }, below(workspace.server.url));
  const authorization = `Basic ${btoa("ada:PASS-CANARY")}`;
  const proxy = await serveProxy({ to: server.port, authorization });
  const env = {
    EVENKEEL_URL: "https://code.example.test/code/",
    HTTPS_PROXY: `http://ada:PASS-CANARY@127.0.0.1:${proxy.port}`,
    EVENKEEL_CLIENT_CERT: pathOf("person.pem"),
    EVENKEEL_CLIENT_KEY: pathOf("person.key"),
  };
  return { ...workspace, secure: server, proxy, env };
}

test.each([
  [["plan", "--detailed-exitcode"], 2, "license/MIT"],
  [["apply", "--yes"], 0, "1 applied"],
  [["import", "--all", "--out", "found"], 0, "1 license"],
  [["deployments", "list", "pay/api"], 0, ""],
  [["routes", "pay/api", "--event", "push", "--live"], 0, "No integration"],
  [["storage", "status", "old"], 0, "old"],
])("%s gets through a company's network", async (args, code, words) => {
  const { evenkeelWith, env, secure, proxy } = await company();
  const ran = await evenkeelWith(env, ...args);
  expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code, stderr: expect.not.stringContaining("error") });
  expect(ran.stdout).toContain(words);
  expect(secure.seen.length).toBeGreaterThan(0);
  expect(new Set(secure.seen.map(({ client }) => client))).toEqual(new Set(["person"]));
  expect(proxy.sent()).not.toContain(token);
  expect(ran.stdout + ran.stderr).not.toContain("CANARY");
});

test("server.ca is believed beside NODE_EXTRA_CA_CERTS", async () => {
  const { evenkeelWith, env, server } = await company();
  const { port } = await serveTls({ cert: pem("selfsigned.pem") }, below(server.url));
  const proxy = await serveProxy({ to: port });
  const HTTPS_PROXY = `http://127.0.0.1:${proxy.port}`;
  const ran = await evenkeelWith({ ...env, HTTPS_PROXY, NODE_EXTRA_CA_CERTS: pathOf("selfsigned.pem") }, "drift");
  expect(ran).toMatchObject({ code: 2, stderr: "" });
});
