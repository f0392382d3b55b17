import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { atEnd } from "../support/ending.ts";
import { stage } from "../support/stage.ts";

/** A server in front of another, whose projects g/a and g/b have each other's paths from `swap` on. */
async function swapping() {
  const state = { target: "", isSwapped: false };
  const other: Readonly<Record<string, string>> = { "g%2Fa": "g%2Fb", "g%2Fb": "g%2Fa", "g/a": "g/b", "g/b": "g/a" };
  const swapped = (text: string) =>
    state.isSwapped ? text.replace(/\bg(?:%2F|\/)[ab](?=["/?]|$)/g, (path) => other[path] ?? path) : text;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { host: _, connection: __, "content-length": _length, ...headers } = request.headers;
    const answer = await fetch(`${state.target}${swapped(request.url ?? "")}`, {
      method: request.method ?? "GET",
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const text = await answer.text();
    const { "content-encoding": ___, "content-length": ____, ...rest } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, rest).end(request.method === "GET" ? swapped(text) : text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  atEnd(() => void server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: (target: string) => {
      state.target = target;
    },
    swap: () => {
      state.isSwapped = true;
    },
  };
}

test.each([["a plan that is applied at once"], ["a saved plan"]])(
  "%s with the list of projects is never written to one that took the path since",
  async (which) => {
    const { url, open, swap } = await swapping();
    const { server, apply, evenkeel, ask, root } = await stage({
      projects: [
        { id: 1, path: "g/a" },
        { id: 2, path: "g/b" },
      ],
      site: { url },
      policy: { projects: ["g/a*"], webhooks: { "https://hooks.example.com": {} } },
    });
    open(server.url);
    const approve = async () => {
      swap();
      return true;
    };
    if (which === "a saved plan") {
      await evenkeel("plan", "--out", "plan.json");
      swap();
      await apply({ saved: `${root}/plan.json` });
    } else await apply({}, { approve });
    expect((await ask("GET", "/projects/2/hooks")).json).toEqual([]);
  },
);
