import { describe, expect, it } from "vitest";
import { Quota } from "../../src/client/quota.ts";
import { allowanceIn } from "../../src/client/retry.ts";
import { reader, serve } from "./scripted.ts";

const get = { method: "GET", path: "/projects/7" } as const;

describe("a rate limit that answers state", () => {
  const allowance = { limit: 40, resetIn: 1000 };

  it("is kept to, and a part of it is left to others", () => {
    const quota = new Quota(60_000);
    expect(quota.left(0)).toBe(Number.POSITIVE_INFINITY);
    expect(quota.update({ ...allowance, left: 30 }, 0, 10)).toBe(0);
    expect(quota.left(10)).toBe(28);
    expect(quota.update({ ...allowance, left: 2 }, 5, 20)).toBe(1000);
    expect(quota.left(20)).toBe(0);
    expect(quota.left(1020)).toBe(40);
  });

  it("is believed down to its end where it is renewed later than a run waits", () => {
    const quota = new Quota(500);
    expect(quota.update({ ...allowance, left: 2 }, 0, 10)).toBe(0);
    expect(quota.left(10)).toBe(2);
  });

  it("is not taken from an answer that comes late", () => {
    const quota = new Quota(60_000);
    quota.update({ ...allowance, left: 10 }, 5, 20);
    quota.update({ ...allowance, left: 30 }, 1, 21);
    expect(quota.left(21)).toBe(8);
    quota.update({ ...allowance, left: 39 }, 30, 31);
    expect(quota.left(31)).toBe(37);
  });

  it.each([
    [
      { "ratelimit-limit": "60", "ratelimit-remaining": "3", "ratelimit-reset": "7" },
      { limit: 60, left: 3, resetIn: 8000 },
    ],
    [
      { "ratelimit-limit": "60", "ratelimit-remaining": "3", "ratelimit-reset": "1767225604" },
      { limit: 60, left: 3, resetIn: 5000 },
    ],
    [{ "ratelimit-limit": "60", "ratelimit-remaining": "3" }, undefined],
    [{ "ratelimit-limit": "many", "ratelimit-remaining": "3", "ratelimit-reset": "7" }, undefined],
  ])("is read from %o", (headers, expected) => {
    expect(allowanceIn(headers, Date.parse("2026-01-01T00:00:00Z"))).toEqual(expected);
  });
});

it.each(["unix seconds", "seconds from now"])(
  "no request is refused by a fixed window, its reset in %s",
  async (form) => {
    const [limit, length] = [12, 1000];
    let [end, used, refused] = [0, 0, 0];
    const server = await serve(() => {
      if (Date.now() >= end) [end, used] = [Date.now() + length, 0];
      used++;
      if (used > limit) refused++;
      const reset = Math.ceil((form === "unix seconds" ? end : end - Date.now()) / 1000);
      const headers = {
        "ratelimit-limit": `${limit}`,
        "ratelimit-remaining": `${Math.max(0, limit - used)}`,
        "ratelimit-reset": `${reset}`,
      };
      const after = new Promise<void>((resolve) => setTimeout(resolve, Math.random() * 20));
      return used > limit ? { status: 429, headers, body: "Retry later", after } : { body: {}, headers, after };
    });
    const client = await reader(server.url, { concurrency: 128 });
    await Promise.all(Array.from({ length: 30 }, () => client.get(get)));
    expect(refused).toBe(0);
    expect(server.seen).toHaveLength(30);
  },
);
