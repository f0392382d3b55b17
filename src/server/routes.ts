import { TrieRouter } from "hono/router/trie-router";
import { notAllowed, type ServerReply, unknownRoute } from "./reply.ts";
import type { ServerContext, ServerRequest } from "./server-context.ts";

export interface ServedRoute {
  readonly method: string;
  /** Relative to /api/v4; `:name` is one URL-encoded segment. */
  readonly path: string;
  readonly answer: (context: ServerContext, request: ServerRequest) => ServerReply;
}

/** Finds the first route of a request; HEAD is like GET. An error if no route has the path, or none with the method. */
export type Router = ReturnType<typeof createRouter>;

export function createRouter(routes: readonly ServedRoute[]) {
  const trie = new TrieRouter<ServedRoute["answer"]>();
  for (const { method, path, answer } of routes) trie.add(method, path, answer);
  const methods = [...new Set(routes.map(({ method }) => method))];
  return (method: string, path: string) => {
    const [first] = trie.match(method === "HEAD" ? "GET" : method, path)[0];
    if (!first) return methods.some((each) => trie.match(each, path)[0].length > 0) ? notAllowed : unknownRoute;
    const [answer, written] = first;
    try {
      const segments = Object.entries(written).map(([name, text]) => [name, decodeURIComponent(String(text))]);
      return { answer, segments: Object.fromEntries(segments) };
    } catch {
      return unknownRoute;
    }
  };
}
