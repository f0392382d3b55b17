import fc from "fast-check";
import { expect, test } from "vitest";
import { hostsIn, originsIn } from "../../src/base/origins.ts";

const rows: readonly (readonly [text: string, origins: readonly string[]])[] = [
  ["https://wiki.example.com/x", ["https://wiki.example.com"]],
  ["HTTPS://Wiki.Example.COM", ["https://wiki.example.com"]],
  ["https://wiki.example.com:443/x", ["https://wiki.example.com"]],
  ["https://wiki.example.com:8443/x", ["https://wiki.example.com:8443"]],
  ["https://wiki.example.com./", ["https://wiki.example.com"]],
  ["HTTP://evil.net", ["http://evil.net"]],
  [" http://evil.net", ["http://evil.net"]],
  ["\u00a0http://evil.net", ["http://evil.net"]],
  ["//evil.net/x", ["//evil.net"]],
  ["///evil.net/x", ["//evil.net"]],
  ["https:/evil.net", ["https://evil.net"]],
  ["https:evil.net", ["https://evil.net"]],
  ["https:///evil.net", ["https://evil.net"]],
  ["evil.net", ["//evil.net"]],
  ["evil.net/x", ["//evil.net"]],
  ["evil.net:8080", ["//evil.net:8080"]],
  ["localhost:8080/x", ["//localhost:8080"]],
  ["10.0.0.1", ["//10.0.0.1"]],
  ["https://2130706433/", ["https://127.0.0.1"]],
  ["https://0x7f.1/", ["https://127.0.0.1"]],
  ["https://[::1]:80/", ["https://[::1]:80"]],
  ["https://example.com@evil.net/", ["https://evil.net"]],
  ["https://example.com:443@evil.net/", ["https://evil.net"]],
  ["https://a@example.com@evil.net/", ["https://evil.net"]],
  ["https://evil.net#@example.com", ["https://evil.net"]],
  ["https://evil.net?@example.com", ["https://evil.net"]],
  ["https://example.com.evil.net/", ["https://example.com.evil.net"]],
  ["https://ex%61mple.com/", ["https://example.com"]],
  ["https://ｅｘａｍｐｌｅ。com/", ["https://example.com"]],
  ["https://exämple.com/", ["https://xn--exmple-cua.com"]],
  ["https://example.com https://evil.net", ["https://example.com", "https://evil.net"]],
  ["https://example.com,http://evil.net", ["https://example.com", "http://evil.net"]],
  ["https://example.com\nevil.net", ["https://example.com", "//evil.net", "https://example.comevil.net", "?"]],
  ["https://example.com/?to=https://evil.net", ["https://example.com", "https://evil.net"]],
  ["irc://irc.example.com:6667/", ["irc://irc.example.com:6667"]],
  ["https://", ["?"]],
  ["https://exa mple.com", ["https://exa", "//mple.com"]],
  ["#payments", []],
  ["all", []],
  ["payments/api", []],
  ["release/1.2", []],
  ["v1.2", []],
  ["a@example.com, b@example.com", []],
  ["", []],
];

test.each(rows)("%j leads to %j", (text, origins) => {
  expect(originsIn(text)).toEqual(origins);
});

test.each([
  ...["https://example.com\\@evil.net", "https:\\\\evil.net", "\\\\evil.net\\x", "ht\ttps://evil.net"],
  ...["https://ev\nil.net", "https://ev\u200bil.net", "https://ex\u0000ample.com"],
])("%j is unclear, or leads elsewhere too", (text) => {
  expect(originsIn(text).length).toBeGreaterThan(0);
  expect(originsIn(text).every((origin) => /^https:\/\/([a-z0-9-]+\.)*example\.com$/.test(origin))).toBe(false);
});

test("hosts have neither scheme nor port", () => {
  expect(hostsIn("http://evil.net:80 https://evil.net //[::1]:9/ a.b/c")).toEqual(["evil.net", "[::1]", "a.b"]);
});

test("whatever stands before an address, where it leads is seen", () => {
  const before = fc.stringMatching(/^[ \t,;"'<>|\u00a0]*$/);
  const scheme = fc.constantFrom("http://", "HTTPS://", "//", "hTTp:/", "https:", "ftp://", "");
  const user = fc.constantFrom("", "example.com@", "a:b@", "example.com:443@");
  const after = fc.constantFrom("", "/", "?x", "#x", ":8080", "./", "/example.com");
  fc.assert(
    fc.property(before, scheme, user, after, (lead, opening, who, rest) => {
      const text = `${lead}${opening}${who}evil.net${rest}`;
      // A name and a host alone are a mail address.
      fc.pre(opening !== "" || who === "" || /^[/?#]/.test(rest));
      expect(hostsIn(text)).toContain("evil.net");
    }),
  );
});

test("a text that is too long, or has too many addresses, is unclear, and takes no time", () => {
  expect(originsIn("x".repeat(10_001))).toEqual(["?"]);
  expect(originsIn(Array.from({ length: 500 }, (_, i) => `//a${i}.b`).join(" "))).toEqual(["?"]);
  for (const part of ["a", "/", "//", "a:", "http:", "https://", "@", ".", "a.", "\\"]) {
    expect(originsIn(part.repeat(10_000 / part.length)).length).toBeLessThan(12);
  }
});
