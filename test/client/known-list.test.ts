import { describe, expect, it } from "vitest";
import type { KnownList } from "../../src/client/client.ts";
import { call } from "../../src/model/call.ts";
import { reader, type Scripted, serve } from "./scripted.ts";

const licenses = call("listLicenses", { id: "7" });
const row = (id: number) => ({ id, name: `MIT-${id}`, approval_status: "allowed" });
const full = Array.from({ length: 100 }, (_, at) => row(at));

/** Reads a list of which this text is known, and tells what of it was asked about and is still believed. */
async function read(pages: readonly Scripted[], text: string) {
  const asked: string[] = [];
  const known: KnownList = {
    isUnchanged: (total, body) => {
      const found = `${total} ${Buffer.from(body).toString()}`;
      asked.push(found);
      return found === text;
    },
    forget: () => asked.splice(0),
  };
  const server = await serve(pages);
  const client = await reader(server.url);
  const rows = await client.list(licenses, known).catch((error) => error);
  return { rows, asked, requests: server.seen.length };
}

const textOf = (rows: unknown, total = "none") => `${total} ${JSON.stringify(rows)}`;

describe("a list that is known", () => {
  it("is not read where it has the same text", async () => {
    const text = textOf([row(1)]);
    expect(await read([{ body: [row(1)] }], text)).toEqual({ rows: undefined, asked: [text], requests: 1 });
    const other = await read([{ body: [row(2)] }], text);
    expect(other).toEqual({ rows: [row(2)], asked: [textOf([row(2)])], requests: 1 });
  });

  it("is another one where the server counts other rows", async () => {
    const headers = { "x-total": "2" };
    const both = await read([{ headers, body: [row(1)] }], textOf([row(1)], "1"));
    expect(both.rows).toMatchObject({ kind: "shape", message: expect.stringContaining("X-Total counts 2") });
    expect(both.asked).toEqual([]);
    expect(both.requests).toBe(2);
  });

  it("is read where it has more pages, whether the server says so or not, and is not to be known by its first", async () => {
    const [first, second] = [full.slice(0, 50), [row(100)]];
    const said = await read([{ headers: { "x-next-page": "2" }, body: first }, { body: second }], textOf(first));
    expect(said).toEqual({ rows: [...first, ...second], asked: [], requests: 2 });
    const unsaid = await read([{ body: full }, { body: second }], textOf([]));
    expect(unsaid).toEqual({ rows: [...full, ...second], asked: [], requests: 2 });
  });

  it("is asked about only by an answer that is whole", async () => {
    const cut = await read([{ status: 206, body: [row(1)] }], textOf([row(1)]));
    expect(cut.asked).toEqual([]);
    expect(cut.rows).toMatchObject({ kind: "shape" });
  });
});
