import http from "node:http";
import { beforeAll, describe, expect, it } from "vitest";
import { UserError } from "../../src/base/exit.ts";
import type { CallFailed } from "../../src/client/failure.ts";
import { findProxy, readNetwork } from "../../src/client/network.ts";
import type { Call } from "../../src/model/types.ts";
import { readIdentity } from "../../src/secrets/certificates.ts";
import { listen, pathOf, pem, serveProxy, serveTls } from "./networks.ts";
import { closedPort, failureOf, reader, serve, token, writer } from "./scripted.ts";

/** What opens a tunnel is loaded when it is first needed, which on a busy machine takes longer than the time limits here. */
beforeAll(() => import("undici"));

const get: Call = { method: "GET", path: "/x" };
const authorities = pem("authority.pem");
const url = "https://code.example.test/code/";

async function failing(where: string, network: ReturnType<typeof readNetwork>): Promise<CallFailed> {
  return (await failureOf((await reader(where, { network })).get(get))) as CallFailed;
}

describe("a proxy", () => {
  it.each([{ tls: false }, { tls: true }])("carries requests to a host that it alone knows (%o)", async ({ tls }) => {
    const server = await serveTls({});
    const proxy = await serveProxy({ to: server.port, authorization: `Basic ${btoa("ada:p@ss%")}`, tls });
    const https_proxy = `${tls ? "https" : "http"}://ada:p%40ss%@127.0.0.1:${proxy.port}`;
    const client = await reader(url, { network: readNetwork(url, { https_proxy }, authorities), concurrency: 2 });
    const answers = await Promise.all([client.get(get), client.get(get), client.get(get)]);
    expect(answers.map(({ body }) => body)).toEqual([{ id: 1 }, { id: 1 }, { id: 1 }]);
    expect([server.seen[2]?.line, proxy.asked.length]).toEqual(["GET /code/api/v4/x", 2]);
    expect(proxy.asked[0]?.target).toBe("code.example.test:443");
    expect(proxy.sent()).not.toContain(token);
  });

  it("carries plain http too, where that is allowed", async () => {
    const server = await serve([{ body: { id: 2 } }]);
    const proxy = await serveProxy({ to: Number(new URL(server.url).port) });
    const plain = "http://code.example.test:8080";
    const network = readNetwork(plain, { HTTP_PROXY: `127.0.0.1:${proxy.port}` });
    expect((await (await reader(plain, { network, allowInsecure: true })).get(get)).body).toEqual({ id: 2 });
    expect(proxy.asked).toEqual([{ target: "code.example.test:8080", authorization: undefined }]);
  });

  it.each([
    [407, "needs a user name and a password; set HTTPS_PROXY to http", 1, 60_000],
    [403, "that HTTPS_PROXY names refused to connect to code.example.test", 1, 60_000],
    [502, "that HTTPS_PROXY names could not reach code.example.test", 4, 60_000],
    [0, "that HTTPS_PROXY names (TIMEOUT)", 4, 1000],
  ])("that answers %d is named, its password never", async (status, words, attempts, requestTimeout) => {
    const { port, asked } = await serveProxy({ status });
    const network = readNetwork(url, { HTTPS_PROXY: `http://ada:PASS-CANARY@127.0.0.1:${port}` });
    const client = await writer(url, { network, requestTimeout });
    const failure = await failureOf(client.send({ method: "POST", path: "/x" }));
    expect(failure).toMatchObject({ uncertain: false, attempts, endsRun: true });
    expect(failure.message).toContain(`the proxy 127.0.0.1:${port} `);
    expect(failure.message).toContain(words);
    expect(JSON.stringify(failure) + failure.stack).not.toContain("CANARY");
    expect(asked).toHaveLength(attempts);
  });

  it("that nobody listens at is named", async () => {
    const port = await closedPort();
    const { message } = await failing(url, readNetwork(url, { http_proxy: `http://127.0.0.1:${port}` }));
    expect(message).toContain(
      `was not sent: the proxy 127.0.0.1:${port} that http_proxy names refused the connection (ECONNREFUSED)`,
    );
  });

  const at = "http://proxy.example.test:3128";
  it.each([
    ["https://a.example.test", { HTTPS_PROXY: at, HTTP_PROXY: "http://other" }, "HTTPS_PROXY"],
    ["https://a.example.test", { HTTPS_PROXY: at, https_proxy: at }, "https_proxy"],
    ["https://a.example.test", { HTTPS_PROXY: "", HTTP_PROXY: at }, "HTTP_PROXY"],
    ["http://a.example.test", { HTTPS_PROXY: at }, undefined],
    ["http://localhost:8080", { HTTP_PROXY: at }, undefined],
    ["https://127.8.9.1", { HTTPS_PROXY: at }, undefined],
    ["https://[::1]:8443", { HTTPS_PROXY: at }, undefined],
    ["https://a.example.test", { HTTPS_PROXY: at, NO_PROXY: "*" }, undefined],
    ["https://a.example.test", { HTTPS_PROXY: at, NO_PROXY: "b.test, Example.Test" }, undefined],
    ["https://a.example.test", { HTTPS_PROXY: at, no_proxy: ".example.test" }, undefined],
    ["https://a.example.test", { HTTPS_PROXY: at, no_proxy: "*.example.test:443" }, undefined],
    ["https://a.example.test", { HTTPS_PROXY: at, NO_PROXY: "example.test:8443,ample.test,,a.example" }, "HTTPS_PROXY"],
    ["https://10.1.2.3", { HTTPS_PROXY: at, NO_PROXY: "10.0.0.0/8" }, undefined],
    ["https://11.1.2.3", { HTTPS_PROXY: at, NO_PROXY: "10.0.0.0/8,11.1.2.0/33,11.1.2.4" }, "HTTPS_PROXY"],
    ["https://[fd00::5]", { HTTPS_PROXY: at, NO_PROXY: "fd00::/8" }, undefined],
    ["https://[fd00::5]:8443", { HTTPS_PROXY: at, NO_PROXY: "[fd00::5]:8443" }, undefined],
  ])("on the way to %s, with %o", (server, env, variable) => {
    expect(findProxy(server, env)?.variable).toBe(variable);
  });

  it.each([
    ["socks5://ada:CANARY@proxy", "HTTPS_PROXY has the scheme socks5; expected a proxy like"],
    ["http://ada:CANARY@:1", "HTTPS_PROXY is not the URL of a proxy; expected one like"],
    ["ada CANARY", "HTTPS_PROXY is not the URL of a proxy; expected one like"],
  ])("has to be one: %s", (HTTPS_PROXY, words) => {
    const refusal = thrownBy(() => findProxy(url, { HTTPS_PROXY }));
    expect(refusal.message).toContain(words);
    expect(refusal.stack).not.toContain("CANARY");
  });
});

describe("a server's certificate", () => {
  it("holds where server.ca names its authority", async () => {
    const { port } = await serveTls({});
    const client = await reader(`https://localhost:${port}`, { network: { authorities } });
    expect((await client.get(get)).body).toEqual({ id: 1 });
  });

  const unknown = "comes from an unknown authority; to trust it, name its PEM file as server.ca";
  it.each([
    ["server.pem", {}, `${unknown} in evenkeel.yaml, or in NODE_EXTRA_CA_CERTS`],
    ["selfsigned.pem", {}, "is self-signed; to trust it, name its PEM file as server.ca"],
    ["expired.pem", { authorities }, "has expired and must be renewed (CERT_HAS_EXPIRED)"],
    ["elsewhere.pem", { authorities }, "is for other host names; use one of them in server.url"],
  ])("%s is refused in words, once", async (name, network, words) => {
    const { port, seen } = await serveTls({ cert: pem(name) });
    const failure = await failing(`https://localhost:${port}`, network);
    expect(failure).toMatchObject({ attempts: 1, endsRun: true, uncertain: false });
    expect(failure.message).toContain(`was not sent: `);
    expect(failure.message).toContain(`certificate of localhost:${port} ${words}`);
    expect(seen).toEqual([]);
  });

  it("is not there where a server speaks plain http", async () => {
    const port = await listen(http.createServer());
    const { message } = await failing(`https://localhost:${port}`, {});
    expect(message).toContain(
      `localhost:${port} does not speak TLS on that port; check the port, or whether server.url`,
    );
  });

  it("is what a request in plain http did not ask for", async () => {
    const { port } = await serveTls({});
    const { message } = await failing(`http://localhost:${port}`, {});
    expect(message).toContain(`if localhost:${port} speaks TLS, server.url must begin with https://`);
    const named = await reader(`http://localhost:${port}`, { urlName: "EVENKEEL_URL" });
    await expect(named.get(get)).rejects.toThrow("EVENKEEL_URL must begin with https://");
  });
});

describe("a client certificate", () => {
  const own = { EVENKEEL_CLIENT_CERT: pathOf("person.pem"), EVENKEEL_CLIENT_KEY: pathOf("person.key") };

  it("is shown to a server that asks for one, and asked for in words by one that does not get it", async () => {
    const { port, seen } = await serveTls({ requestCert: true });
    const where = `https://localhost:${port}`;
    const client = await reader(where, { network: readNetwork(where, own, authorities) });
    await client.get(get);
    expect(seen).toEqual([{ line: "GET /api/v4/x", client: "person" }]);
    const { message } = await failing(where, { authorities });
    expect(message).toContain(
      `if localhost:${port} asks for a client certificate, set EVENKEEL_CLIENT_CERT and EVENKEEL_CLIENT_KEY`,
    );
  });

  it.each([
    [{ EVENKEEL_CLIENT_KEY: "" }, "EVENKEEL_CLIENT_CERT is set and EVENKEEL_CLIENT_KEY is not"],
    [{ EVENKEEL_CLIENT_CERT: undefined }, "EVENKEEL_CLIENT_KEY is set and EVENKEEL_CLIENT_CERT is not"],
    [
      { EVENKEEL_CLIENT_CERT: "/nowhere" },
      "EVENKEEL_CLIENT_CERT names /nowhere, which cannot be read (no such file or folder)",
    ],
    [{ EVENKEEL_CLIENT_CERT: "/dev/zero" }, "EVENKEEL_CLIENT_CERT names /dev/zero, which is not a file"],
    [{ EVENKEEL_CLIENT_CERT: pathOf("person.key") }, "which contains no certificate; expected PEM"],
    [{ EVENKEEL_CLIENT_KEY: pathOf("person-encrypted.key") }, "whose key is encrypted; expected one without"],
    [{ EVENKEEL_CLIENT_KEY: pathOf("server.key") }, "whose key does not belong to the certificate"],
    [{ EVENKEEL_CLIENT_KEY: pathOf("person.pem") }, "which contains no readable private key; expected PEM"],
  ])("has to be whole: %o", (change, words) => {
    expect(thrownBy(() => readIdentity({ ...own, ...change })).message).toContain(words);
  });
});

function thrownBy(work: () => unknown): UserError {
  try {
    work();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
