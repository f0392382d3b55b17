import { grouped } from "../base/grouped.ts";

const names = [
  "date",
  "link",
  "location",
  "ratelimit-limit",
  "ratelimit-remaining",
  "ratelimit-reset",
  "retry-after",
  "x-next-page",
  "x-page",
  "x-request-id",
  "x-total",
  "x-total-pages",
] as const;

type HeaderName = (typeof names)[number];

/** The headers of an answer that the client reads, by their names; lists where there are several of a name. */
export type Headers = Readonly<Partial<Record<HeaderName, string | string[] | undefined>>>;

/** By their length and, without regard to case, their first letter: most names are told apart by these already. */
const byStart: (readonly HeaderName[])[] = [];
for (const [start, alike] of grouped(names, (name) => startOf(name.length, name.charCodeAt(0)))) byStart[start] = alike;

function startOf(length: number, letter: number): number {
  return length * 32 + (letter & 31);
}

/** Reads headers as they came: names and values in turn. Most are never asked for, and are not even decoded. */
export function headersIn(raw: readonly Buffer[]): Headers {
  const headers: Partial<Record<HeaderName, string | string[]>> = {};
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = nameIn(raw[at] as Buffer);
    if (name === undefined) continue;
    const value = (raw[at + 1] as Buffer).toString("latin1");
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
}

function nameIn(raw: Buffer): HeaderName | undefined {
  const alike = byStart[startOf(raw.length, raw[0] ?? 0)];
  if (!alike) return undefined;
  const text = raw.toString("latin1").toLowerCase();
  return alike.find((name) => name === text);
}
