import { knownSecrets } from "../base/known-secrets.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { networkFor, openAgent } from "../client/network.ts";
import { statedDelay } from "../client/retry.ts";
import { isLoopback } from "../client/server-url.ts";
import type { Notify } from "../manifest/workspace.ts";
import type { Secrets } from "../secrets/secrets.ts";

/** The result of a delivery attempt: if it failed, why, and whether to retry. */
export type Delivery =
  | { readonly delivered: true }
  | { readonly delivered: false; readonly why: string; readonly again: boolean; readonly wait?: number };

export interface DeliveryOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secrets: Secrets;
  /** Cancels the attempt. */
  readonly signal: AbortSignal;
}

/** Milliseconds for one attempt. */
const timeout = 10_000;

/** The longest pause that a receiver may request, in milliseconds. */
const longestWait = 60_000;

/** Posts a document to the URL of a receiver. Error messages never contain the URL. */
export async function deliver(to: Notify, body: object, options: DeliveryOptions): Promise<Delivery> {
  const { secrets, signal } = options;
  try {
    await secrets.ask([to.url], signal);
    const text = secrets.known(to.url);
    if (text === undefined) return lost(secrets.missing([to.url])[0] ?? `${to.url.secret} cannot be resolved`);
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const fault = faultOf(url, to);
    return fault === undefined && url ? await send(url, body, options) : lost(fault ?? "");
  } catch (error) {
    return { ...lost(knownSecrets.clean(describeSystemError(error))), again: true };
  }
}

function lost(why: string): Delivery & { readonly delivered: false } {
  return { delivered: false, why, again: false };
}

function faultOf(url: URL | undefined, { allowInsecure }: Notify): string | undefined {
  if (url?.protocol !== "https:" && url?.protocol !== "http:") return "it is not an https URL";
  if (!isDecodable(url.username + url.password)) return "a % in its user or password begins an escape such as %25";
  if (url.protocol === "https:" || allowInsecure || isLoopback(url.hostname)) return undefined;
  return "it is plain http to another machine; use https, or set allowInsecure: true";
}

async function send(url: URL, body: object, { env, signal }: DeliveryOptions): Promise<Delivery> {
  const client = await openAgent(networkFor(url.origin, env), timeout, {});
  const limit = AbortSignal.timeout(timeout);
  const end = () => void client.destroy().catch(() => {});
  signal.addEventListener("abort", end);
  try {
    const {
      statusCode,
      headers,
      body: answer,
    } = await client.request({
      origin: url.origin,
      method: "POST",
      path: url.pathname + url.search,
      headers: { "content-type": "application/json", ...credentials(url) },
      body: JSON.stringify(body),
      signal: limit,
    });
    await answer.dump({ limit: 64 * 1024 });
    return deliveryOf(
      statusCode,
      statedDelay({ "retry-after": headers["retry-after"], date: headers.date }, Date.now()),
    );
  } catch (error) {
    const given = signal.aborted ? "no answer before the end; the next watcher sends it again" : undefined;
    const why = given ?? (limit.aborted ? "timed out" : knownSecrets.clean(describeSystemError(error)));
    return { ...lost(why), again: true };
  } finally {
    signal.removeEventListener("abort", end);
    await client.destroy().catch(() => {});
  }
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}

function credentials({ username, password }: URL): { readonly authorization?: string } {
  if (!username && !password) return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

/** Redirects are not followed: a notification is meant for the configured receiver only. */
function deliveryOf(status: number, asked = 0): Delivery {
  if (status >= 200 && status < 300) return { delivered: true };
  const again = status === 408 || status === 425 || status === 429 || status >= 500;
  const wait = asked > 0 ? { wait: Math.min(asked, longestWait) } : {};
  return { ...lost(`answered with ${status}`), again, ...wait };
}
