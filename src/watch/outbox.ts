import { dirname } from "node:path";
import { ifPossible } from "../base/exit.ts";
import { knownSecrets } from "../base/known-secrets.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { openAgent, readNetwork } from "../client/network.ts";
import { parseRetryDelay } from "../client/retry.ts";
import { isLoopback } from "../client/server-url.ts";
import type { Notify } from "../manifest/workspace.ts";
import { loadProviders } from "../secrets/providers-file.ts";
import { createSecrets } from "../secrets/secrets.ts";
import type { Undelivered } from "../state/watch-memory.ts";
import { findWorkspace } from "../workspace/load.ts";
import type { MessageBody } from "./notification-texts.ts";
import type { WatchOptions } from "./options.ts";

type DeliveryOptions = Pick<WatchOptions, "request" | "clock" | "host"> & { readonly signal: AbortSignal };

/**
 * A failed attempt and its reason. With `again` it is repeated at once, or after at least `wait` milliseconds; else with
 * the next check.
 */
interface FailedDelivery {
  readonly why: string;
  readonly again: boolean;
  readonly wait?: number;
}

const mostAttempts = 5;

/** Milliseconds before the second attempt of a round; doubled for each further one. */
const firstPause = 1000;

/** Tries several times to deliver a notification. Resolves to false, with a warning, if it was not. */
export async function deliver(to: Notify, { body }: Undelivered, options: DeliveryOptions): Promise<boolean> {
  const { clock, host, signal } = options;
  for (let attempt = 1; ; attempt++) {
    const failed = await post(to, body, options);
    if (!failed) return true;
    const isLast = !failed.again || attempt === mostAttempts || signal.aborted;
    const backoff = firstPause * 2 ** (attempt - 1) * (0.5 + clock.random());
    if (!isLast) await clock.sleep(Math.max(failed.wait ?? 0, backoff), signal);
    if (!isLast && !signal.aborted) continue;
    host.warn(`a notification (${String(body.event)}) could not be delivered to ${to.url.secret}: ${failed.why}`);
    return false;
  }
}

/** Posts a document to the URL of a receiver; resolves to undefined if it was delivered. Messages never contain the URL. */
async function post(to: Notify, body: object, options: DeliveryOptions): Promise<FailedDelivery | undefined> {
  const { env, folder, debug } = options.request;
  const root = dirname(findWorkspace(folder));
  // Opened for each attempt, because a secret may be replaced.
  const secrets = createSecrets({ env, root, plaintext: new Map(), providers: loadProviders(env, root), debug });
  try {
    await secrets.ask([to.url], options.signal);
    const text = secrets.known(to.url);
    if (text === undefined)
      return { why: secrets.missing([to.url])[0] ?? `${to.url.secret} cannot be resolved`, again: false };
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const fault = checkUrl(url, to);
    if (fault !== undefined || !url) return { why: fault ?? "", again: false };
    const shown = takesCards(to, url) && "text" in body ? adaptiveCard(body as MessageBody) : body;
    return await send(url, shown, options);
  } catch (error) {
    return { why: knownSecrets.clean(describeSystemError(error)), again: true };
  }
}

function checkUrl(url: URL | undefined, { allowInsecure }: Notify): string | undefined {
  if (url?.protocol !== "https:" && url?.protocol !== "http:") return "it is not an https URL";
  if (ifPossible(() => decodeURIComponent(url.username + url.password)) === undefined)
    return "a % in its user or password begins an escape such as %25";
  if (url.protocol === "https:" || allowInsecure || isLoopback(url.hostname)) return undefined;
  return "it is plain http to another machine; use https, or set allowInsecure: true";
}

/** Milliseconds for one attempt, and the longest pause that a receiver may request. */
const [timeout, longestWait] = [10_000, 60_000];

/** Redirects are not followed: a notification is meant for the configured receiver only. */
async function send(url: URL, body: object, { request, signal }: DeliveryOptions): Promise<FailedDelivery | undefined> {
  const client = await openAgent(readNetwork(url.origin, request.env), timeout, {});
  const limit = AbortSignal.timeout(timeout);
  const end = () => void client.destroy().catch(() => {});
  signal.addEventListener("abort", end);
  try {
    const answer = await client.request({
      origin: url.origin,
      method: "POST",
      path: url.pathname + url.search,
      headers: { "content-type": "application/json", ...credentials(url) },
      body: JSON.stringify(body),
      signal: limit,
    });
    await answer.body.dump({ limit: 64 * 1024 });
    const { statusCode: status, headers } = answer;
    if (status >= 200 && status < 300) return undefined;
    const asked = { "retry-after": headers["retry-after"], date: headers.date };
    const wait = Math.min(parseRetryDelay(asked, Date.now()) ?? 0, longestWait);
    const again = status === 408 || status === 425 || status === 429 || status >= 500;
    return { why: `answered with ${status}`, again, wait };
  } catch (error) {
    const ended = signal.aborted ? "no answer before the end; the next watcher sends it again" : undefined;
    const why = ended ?? (limit.aborted ? "timed out" : knownSecrets.clean(describeSystemError(error)));
    return { why, again: true };
  } finally {
    signal.removeEventListener("abort", end);
    await client.destroy().catch(() => {});
  }
}

function credentials({ username, password }: URL): { readonly authorization?: string } {
  if (!username && !password) return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString("base64")}` };
}

/** Hosts of webhooks of Microsoft Teams. */
const teamsHosts = /(?:^|\.)(?:webhook\.office\.com|logic\.azure\.com|powerplatform\.com|powerautomate\.com)$/;

export function takesCards({ format }: Pick<Notify, "format">, { hostname }: URL): boolean {
  return format === undefined ? teamsHosts.test(hostname) : format === "teams";
}

export function adaptiveCard({ text, counts, url }: Pick<MessageBody, "text" | "counts" | "url">): object {
  const [headline = "", ...lines] = text.split("\n").filter((line) => line !== url);
  const facts = Object.entries(counts).map(([title, value]) => ({ title, value: String(value) }));
  const block = { type: "TextBlock", wrap: true };
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [
      { ...block, text: headline, weight: "Bolder", size: "Medium" },
      // A line break of markdown.
      ...(lines.length > 0 ? [{ ...block, text: lines.join("\n\n") }] : []),
      { type: "FactSet", facts },
    ],
    ...(url !== undefined && { actions: [{ type: "Action.OpenUrl", title: "Open in the console", url }] }),
  };
  const attachment = { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content };
  return { type: "message", attachments: [attachment] };
}
