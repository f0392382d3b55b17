import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classify, findServerMessage, oneLine } from "../../src/client/classify-response.ts";
import { CallFailed } from "../../src/client/failure.ts";
import { reader, serve, serveBytes, token } from "./scripted.ts";

const text = fc.oneof(fc.string({ unit: "binary" }), fc.json(), fc.constantFrom("", "[", "{", "<html>", "null", token));
const headerText = fc.stringMatching(/^[ -~]{0,40}$/);
const headers = fc.dictionary(
  fc.constantFrom(
    ...["location", "link", "x-next-page", "retry-after", "ratelimit-reset", "content-type", "x-request-id", "date"],
    "x-total",
  ),
  fc.oneof(headerText, fc.constantFrom("0", "//evil", "http://evil/", "<?page=2>; rel=next", "\\\\", "http://[")),
);

describe("whatever a server answers", () => {
  it("is judged, and never throws", () => {
    const url = "http://127.0.0.1/api/v4/p";
    const attempt = { method: "GET", path: "/p", url, setting: "server.url", attempts: 1 } as const;
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 999 }), headers, text, (status, given, body) => {
        const verdict = classify(attempt, undefined, { status, headers: given, body: Buffer.from(body) });
        if (!(verdict instanceof CallFailed)) {
          expect(status).toBeLessThan(300);
          return;
        }
        expect(verdict.message).not.toMatch(/\p{Cc}/u);
        expect(verdict.message.length).toBeLessThan(700);
      }),
      { numRuns: 300 },
    );
  });

  it("gives rows or a failed call, over the wire", async () => {
    let next = { status: 200, headers: {}, body: "" };
    const server = await serve(() => next);
    const backoff = { base: 0, cap: 0, attempts: 2 };
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 200, max: 599 }), headers, text, async (status, given, body) => {
        const { "retry-after": _, "ratelimit-reset": __, ...rest } = given;
        next = { status, headers: rest, body: status === 204 || status === 304 ? "" : body };
        const client = await reader(server.url, { backoff });
        const result = await client.list({ method: "GET", path: "/p" }).catch((error: unknown) => error);
        await client.close();
        expect(Array.isArray(result) || result instanceof CallFailed).toBe(true);
        if (result instanceof CallFailed) expect(`${result.stack}`).not.toContain(token);
      }),
      { numRuns: 150 },
    );
  });

  it("may be no HTTP at all", async () => {
    const bytes = [
      "",
      "SSH-2.0-OpenSSH_9\r\n",
      "HTTP/1.1 200 OK\r\n",
      "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n[]",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
      "HTTP/1.1 999 \r\n\r\n",
      `HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n\r\n[]`,
      "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n[]",
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
      "\x15\x03\x01\x00\x02\x02\x28",
    ];
    for (const one of bytes) {
      const client = await reader(await serveBytes(Buffer.from(one, "latin1")), { requestTimeout: 500 });
      expect(await client.get({ method: "GET", path: "/p" }).catch((error: unknown) => error)).toBeInstanceOf(
        CallFailed,
      );
    }
  });
});

describe("the server's words", () => {
  it("become one short line, however they are made", () => {
    const deep = JSON.parse("[".repeat(5000) + "]".repeat(5000)) as unknown;
    expect(findServerMessage({ message: deep })).toBe("…");
    fc.assert(
      fc.property(fc.anything(), (message) => {
        const line = oneLine(
          findServerMessage({ message: JSON.parse(JSON.stringify(message) ?? "null") as unknown }) ?? "",
        );
        expect(line.length).toBeLessThanOrEqual(300);
        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      }),
    );
  });
});
