import { ifPossible } from "../base/exit.ts";
import { knownSecrets } from "../base/known-secrets.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { openAgent, readNetwork } from "../client/network.ts";
import { parseRetryDelay } from "../client/retry.ts";
import { isLoopback } from "../client/server-url.ts";
import type { Notify } from "../manifest/workspace.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { Undelivered } from "../state/watch-memory.ts";
import { type Clock, pause } from "./clock.ts";
import type { MessageBody } from "./notification-texts.ts";

export interface Outbox {
  readonly flush: () => void;
  readonly settled: () => Promise<void>;
}

export interface OutboxOptions {
  readonly clock: Clock;
  /** Undelivered notifications, oldest first. */
  readonly waiting: () => readonly Undelivered[];
  readonly done: (one: Undelivered) => void;
  /** The receiver of a reference; undefined if the workspace no longer names it. */
  readonly receiver: (to: string) => Notify | undefined;
  readonly attempt: (to: Notify, body: object) => Promise<Delivery>;
  readonly warn: (sentence: string) => void;
  readonly signal: AbortSignal;
}

const mostAttempts = 5;

/** Milliseconds: maximum age of a retried notification, and pause before the second attempt of a round. */
const longestAge = 24 * 3_600_000;
const firstPause = 1000;

export function createOutbox(options: OutboxOptions): Outbox {
  const trying = new Map<string, Promise<void>>();
  const begin = (to: string) => {
    const tried = deliverAll(to, options).catch((error) => options.warn(String(error)));
    trying.set(
      to,
      tried.finally(() => trying.delete(to)),
    );
  };
  return {
    flush: () => {
      for (const { to } of options.waiting()) if (!trying.has(to)) begin(to);
    },
    settled: async () => void (await Promise.all(trying.values())),
  };
}

/** Delivers in order: later notifications wait for earlier ones. */
async function deliverAll(to: string, options: OutboxOptions): Promise<void> {
  for (;;) {
    const next = options.waiting().find((each) => each.to === to);
    if (!next || options.signal.aborted) return;
    const receiver = options.receiver(to);
    const delivery = receiver ? await tryHard(receiver, next, options) : given;
    if (!delivery.delivered && !isOld(next, options)) return;
    options.done(next);
  }
}

const given: Delivery = { delivered: true };

function isOld({ since }: Undelivered, { clock }: OutboxOptions): boolean {
  return clock.now() - Date.parse(since) > longestAge;
}

/** Milliseconds before the next attempt; a receiver may only request a longer pause. */
function backoff(attempt: number, { random }: Clock): number {
  return firstPause * 2 ** (attempt - 1) * (0.5 + random());
}

async function tryHard(to: Notify, { body }: Undelivered, options: OutboxOptions): Promise<Delivery> {
  const { clock, warn, signal } = options;
  for (let attempt = 1; ; attempt++) {
    const delivery = await options.attempt(to, body);
    if (delivery.delivered) return delivery;
    const isLast = !delivery.again || attempt === mostAttempts || signal.aborted;
    if (!isLast) await pause(clock, Math.max(delivery.wait ?? 0, backoff(attempt, clock)), signal);
    if (!isLast && !signal.aborted) continue;
    warn(`a notification (${String(body.event)}) could not be delivered to ${to.url.secret}: ${delivery.why}`);
    return delivery;
  }
}

/** The result of a delivery attempt; on failure, the reason and whether to retry at once or with the next check. */
type Delivery =
  | { readonly delivered: true }
  | { readonly delivered: false; readonly why: string; readonly again: boolean; readonly wait?: number };

export interface DeliveryOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secrets: Secrets;
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
    if (text === undefined) return failDelivery(secrets.missing([to.url])[0] ?? `${to.url.secret} cannot be resolved`);
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const fault = checkUrl(url, to);
    return fault === undefined && url ? await send(url, shownTo(to, url, body), options) : failDelivery(fault ?? "");
  } catch (error) {
    return { ...failDelivery(knownSecrets.clean(describeSystemError(error))), again: true };
  }
}

function shownTo(to: Notify, url: URL, body: object): object {
  return takesCards(to, url) && "text" in body ? adaptiveCard(body as MessageBody) : body;
}

function failDelivery(why: string): Delivery & { readonly delivered: false } {
  return { delivered: false, why, again: false };
}

function checkUrl(url: URL | undefined, { allowInsecure }: Notify): string | undefined {
  if (url?.protocol !== "https:" && url?.protocol !== "http:") return "it is not an https URL";
  if (ifPossible(() => decodeURIComponent(url.username + url.password)) === undefined)
    return "a % in its user or password begins an escape such as %25";
  if (url.protocol === "https:" || allowInsecure || isLoopback(url.hostname)) return undefined;
  return "it is plain http to another machine; use https, or set allowInsecure: true";
}

async function send(url: URL, body: object, { env, signal }: DeliveryOptions): Promise<Delivery> {
  const client = await openAgent(readNetwork(url.origin, env), timeout, {});
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
    return toDelivery(
      statusCode,
      parseRetryDelay({ "retry-after": headers["retry-after"], date: headers.date }, Date.now()),
    );
  } catch (error) {
    const given = signal.aborted ? "no answer before the end; the next watcher sends it again" : undefined;
    const why = given ?? (limit.aborted ? "timed out" : knownSecrets.clean(describeSystemError(error)));
    return { ...failDelivery(why), again: true };
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

/** Redirects are not followed: a notification is meant for the configured receiver only. */
function toDelivery(status: number, asked = 0): Delivery {
  if (status >= 200 && status < 300) return { delivered: true };
  const again = status === 408 || status === 425 || status === 429 || status >= 500;
  const wait = asked > 0 ? { wait: Math.min(asked, longestWait) } : {};
  return { ...failDelivery(`answered with ${status}`), again, ...wait };
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
