import { createHmac } from "node:crypto";
import { isSameSecret, readWorkerKey } from "../secrets/token.ts";

/**
 * What the runs and workers of a server share, and what neither the state nor the queue knows. Work and results are used
 * only if they were signed with it: whoever can write to the state or the queue must not decide what a worker sends.
 */
export interface WorkKey {
  /** Names the server and the key. Queues and members with another key are apart, so that none waits for the other. */
  readonly place: string;
  /** `purpose`: what the text is, so that it is not valid as anything else. */
  readonly sign: (purpose: Purpose, text: string) => string;
  /** The signed text; undefined if it was signed with another key, or for another purpose. */
  readonly open: (purpose: Purpose, signed: string) => string | undefined;
}

type Purpose =
  | readonly [what: "work"]
  | readonly [what: "result", workspace: string, run: string, part: string]
  | readonly [what: "outcome", workspace: string, run: string, address: string];

/** What runs and workers have to have in common, for messages. */
export const sharedKeyWords = "token or EVENKEEL_WORKER_KEY";

/** The key of EVENKEEL_WORKER_KEY, or else the token. @throws UserError if EVENKEEL_WORKER_KEY cannot be used. */
export function workKey(
  env: Readonly<Record<string, string | undefined>>,
  { token, origin }: { readonly token: string; readonly origin: string },
): WorkKey {
  const secret = readWorkerKey(env) ?? token;
  const key = hmac(secret, `evenkeel work for ${origin}`);
  const markOf = (purpose: Purpose, text: string) => hmac(key, `${JSON.stringify(purpose)}\n${text}`);
  return {
    place: `${placesAt(origin)}${hmac(secret, `evenkeel workers of ${origin}`).slice(0, 16)}`,
    sign: (purpose, text) => `${markOf(purpose, text)}\n${text}`,
    open: (purpose, signed) => {
      const text = withoutMark(signed);
      const mark = signed.slice(0, signed.length - text.length);
      return isSameSecret(mark, `${markOf(purpose, text)}\n`) ? text : undefined;
    },
  };
}

/** How the places of a server begin. */
export function placesAt(origin: string): string {
  return `${origin}#`;
}

/** A text as it may have been signed, without the signature. */
export function withoutMark(signed: string): string {
  return signed.replace(/^[0-9a-f]{64}\n/, "");
}

function hmac(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest("hex");
}
