import type { ServerResponse } from "node:http";

/** A response of the server. A body that is not JSON has a content type in its headers. */
export interface ServerReply {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const jsonType = { "content-type": "application/json" } as const;

export function json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): ServerReply {
  return { status, body: JSON.stringify(value), headers: headers ? { ...jsonType, ...headers } : jsonType };
}

export const noContent: ServerReply = { status: 204 };

/** Sends a response, and returns its status. */
export function send(response: ServerResponse, { status, body, headers }: ServerReply): number {
  if (body === undefined) response.writeHead(status).end();
  else response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
  return status;
}

/** An error in the platform's format: the message begins with the status. */
export function refused(status: number, words: string): ServerReply {
  return json(status, { message: `${status} ${words}` });
}

/** Invalid parameters, one sentence each. */
export function invalid(faults: readonly string[]): ServerReply {
  return json(400, { error: faults.join(", ") });
}

export const unauthorized = refused(401, "Unauthorized");
export const forbidden = refused(403, "Forbidden");
export const outOfScope = json(403, {
  error: "insufficient_scope",
  error_description: "The request requires higher privileges than provided by the access token.",
  scope: "api",
});
export const unknownRoute = json(404, { error: "404 Not Found" });
export const notAllowed = json(405, { error: "405 Not Allowed" });
export const changedSince = refused(412, "Precondition Failed");
export const tooLarge = json(413, { error: "413 Request Entity Too Large" });
export const malformed = json(400, { error: "message body does not match declared format" });
export const broken = refused(500, "Internal Server Error");

/** `what` is the platform's name for what was not found. */
export function notFound(what: string): ServerReply {
  return refused(404, `${what} Not Found`);
}

/** For records without a name of their own. */
export const noRecord = refused(404, "Not found");
