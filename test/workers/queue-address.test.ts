import { describe, expect, test } from "vitest";
import { queueAddressIn } from "../../src/run/workers/queue.ts";

const place = (text: string) => queueAddressIn({ EVENKEEL_QUEUE: text });

describe("EVENKEEL_QUEUE", () => {
  test.each([
    ["redis://:Q7%2D@db.example.com:7000/3", { host: "db.example.com", port: 7000, password: "Q7-", db: 3 }],
    ["rediss://u:p@db.example.com", { username: "u", password: "p", port: 6379, tls: {} }],
    ["valkey://[::1]/", { host: "::1", port: 6379 }],
  ])("is read from %s", (text, options) => {
    const { redis = {} } = place(text);
    expect(redis).toMatchObject(options);
    expect("tls" in redis).toBe(text.startsWith("rediss:"));
    expect(place(text).words).not.toContain("Q7");
  });

  test.each([
    ...["redis://:50%CANARY@h", "redis://h/CANARY", "redis://u:1/CANARY@h", "redis://:CANARY@h?db=2", "redis://"],
    ...["amqp://CANARY@h", "CANARY"],
  ])("that is %s is refused in a sentence that repeats nothing of it", (text) => {
    const expected =
      "expected postgres://, or redis://[USER][:PASSWORD@]HOST[:PORT][/NUMBER], with %25 for a % in user or password";
    expect(() => place(text)).toThrow(`EVENKEEL_QUEUE is not the address of a queue; ${expected}`);
    expect(() => place(text)).not.toThrow("CANARY");
  });

  test.each(["postgres://u:50%CANARY@h/db", "postgres://h"])("%s is refused as an address of a database", (text) => {
    expect(() => place(text)).toThrow(/^EVENKEEL_QUEUE /);
    expect(() => place(text)).not.toThrow("CANARY");
  });
});
