import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { atEnd } from "./ending.ts";

/** A span as OTLP tells it, with its attributes as an object. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly failed: boolean;
}

interface WireSpan extends Omit<CollectedSpan, "attributes" | "failed"> {
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, string | number>> }[];
  readonly status: { readonly code: number };
}

/** A collector of traces on a port of its own. `answer`: a status, or nothing at all. */
export async function collector(answer: number | "nothing" = 200) {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    bodies.push(`${request.method} ${request.url}\n${Buffer.concat(chunks).toString()}`);
    if (answer !== "nothing") response.writeHead(answer, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** All that was sent to it, as it was sent. */
    bodies,
    spans: () => bodies.flatMap((body) => spansIn(JSON.parse(body.slice(body.indexOf("\n"))))),
  };
}

interface Body {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[] }[];
}

function spansIn({ resourceSpans }: Body): CollectedSpan[] {
  const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  return spans.map(({ attributes, status, ...span }) => {
    const pairs = attributes.map(({ key, value }) => [key, Object.values(value)[0] ?? ""] as const);
    return { ...span, attributes: Object.fromEntries(pairs), failed: status.code === 2 };
  });
}
