import { createServer, type Server, type ServerOptions } from "../../src/server/server.ts";
import { atEnd } from "../support/ending.ts";
import { until } from "../support/until.ts";

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what the wire holds is the question here
  readonly json: any;
}

export interface Asking {
  readonly token?: string | null;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly body?: string | FormData;
  readonly type?: string;
}

export interface Serving {
  readonly server: Server;
  readonly ask: (method: string, path: string, asking?: Asking) => Promise<Answered>;
}

/** A server for one test, and a way to ask it over HTTP; it is closed when the test ends. */
export async function serving(options: ServerOptions = {}): Promise<Serving> {
  const server = await createServer(options);
  atEnd(() => server.close());
  return { server, ask: (method, path, asking) => ask(server.url, method, path, asking) };
}

export async function ask(url: string, method: string, path: string, asking: Asking = {}): Promise<Answered> {
  const { token = "evenkeel-dev-token", form, json, body, type } = asking;
  const headers: Record<string, string> = token === null ? {} : { "PRIVATE-TOKEN": token };
  if (json !== undefined) headers["content-type"] = "application/json";
  if (type) headers["content-type"] = type;
  const sent = body ?? (form ? new URLSearchParams(form) : json === undefined ? undefined : JSON.stringify(json));
  const response = await fetch(`${url}/api/v4${path}`, {
    method,
    headers,
    redirect: "manual",
    ...(sent && { body: sent }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Asks until `isDone`, since storage moves take their time. */
export async function eventually(
  look: () => Promise<Answered>,
  isDone: (answered: Answered) => boolean,
): Promise<Answered> {
  return until(async () => {
    const answered = await look();
    return isDone(answered) && answered;
  });
}
