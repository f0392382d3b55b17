import { describe, expect, test } from "vitest";
import { serverOf } from "../../src/commands/init.ts";
import type { Terminal } from "../../src/commands/terminal.ts";
import { plain } from "../../src/report/terminal.ts";

/** A terminal at which a person types these lines and then leaves; `said` holds what they were shown. */
function typing(...lines: readonly string[]) {
  const said: string[] = [];
  const left = [...lines];
  const ask = async (question: string) => {
    said.push(question);
    return left.shift();
  };
  const terminal: Terminal = {
    env: {},
    cwd: "/",
    print: (text) => void said.push(text),
    warn: (text) => void said.push(text),
    note: (text) => void said.push(text),
    fail: (sentence) => void said.push(sentence),
    lines: async function* () {},
    unrecorded: false,
    blocking: (work) => work(),
    palette: plain,
    warnings: plain,
    interactive: true,
    confirm: async () => false,
    ask,
    progress: () => ({ update: () => {}, stop: () => {} }),
    listen: () => {},
    emit: () => {},
    interrupted: new AbortController().signal,
  };
  return { terminal, said };
}

describe("the address that init asks for", () => {
  test.each([
    [["https://git.example.org"], "https://git.example.org"],
    [[""], "https://code.example.com"],
    [["ftp://a", "https://a"], "https://a"],
  ])("%j is %s", async (lines, url) => {
    const { terminal, said } = typing(...lines);
    expect(await serverOf(terminal, { tier: "premium" })).toEqual({ url, release: "", tier: "premium" });
    expect(said.filter((text) => text.startsWith("Expected an http or https address"))).toHaveLength(lines.length - 1);
  });

  test("is not asked for with --url, or where nobody can answer", async () => {
    const { terminal, said } = typing();
    const given = { url: "http://a", release: "15.0", tier: "free" } as const;
    expect(await serverOf(terminal, given)).toEqual(given);
    const standard = { url: "https://code.example.com", release: "", tier: "ultimate" };
    expect(await serverOf({ ...terminal, interactive: false }, { tier: "ultimate" })).toEqual(standard);
    expect(said).toEqual([]);
  });

  test.each([{ url: "ftp://a" }, { url: "" }, { release: "fourteen" }])("%j is refused", async (flags) => {
    await expect(serverOf(typing().terminal, flags)).rejects.toMatchObject({ code: 64 });
  });

  test("ends where the person leaves", async () => {
    await expect(serverOf(typing().terminal, {})).rejects.toMatchObject({ code: 1 });
    const interrupted = { ...typing().terminal, interrupted: AbortSignal.abort() };
    await expect(serverOf(interrupted, {})).rejects.toMatchObject({ code: 130 });
  });
});
