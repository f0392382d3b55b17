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
    interview: (work) => work(ask),
    progress: () => ({ update: () => {}, stop: () => {} }),
    listen: () => {},
    emit: () => {},
    interrupted: new AbortController().signal,
  };
  return { terminal, said };
}

describe("the interview of init", () => {
  test("takes what is answered, and the standard where nothing is", async () => {
    const { terminal } = typing("https://git.example.org", "", "premium");
    expect(await serverOf(terminal, {})).toEqual({
      url: "https://git.example.org",
      release: "",
      tier: "premium",
    });
  });

  test("asks again for what is not right, and says what would be", async () => {
    const { terminal, said } = typing("", "fourteen", "14.2", "gold", "");
    expect(await serverOf(terminal, {})).toEqual({ url: "https://code.example.com", release: "14.2", tier: "" });
    expect(said).toEqual([
      "Address of the server [https://code.example.com]:",
      "Its release; leave empty to ask the server:",
      "Expected a release, such as 14.5 or 14.5.2.",
      "Its release; leave empty to ask the server:",
      expect.stringContaining("Its tier"),
      "Expected free, premium or ultimate.",
      expect.stringContaining("Its tier"),
    ]);
  });

  test("asks nothing that a flag says, and nothing where nobody is", async () => {
    const { terminal, said } = typing();
    const given = { url: "http://a", release: "15.0", tier: "free" } as const;
    expect(await serverOf(terminal, given)).toEqual(given);
    const standard = { url: "https://code.example.com", release: "", tier: "ultimate" };
    expect(await serverOf({ ...terminal, interactive: false }, { tier: "ultimate" })).toEqual(standard);
    expect(said).toEqual([]);
  });

  test("ends where the person leaves, and where a flag is not right", async () => {
    await expect(serverOf(typing("https://a").terminal, {})).rejects.toMatchObject({ code: 1 });
    const interrupted = { ...typing().terminal, interrupted: AbortSignal.abort() };
    await expect(serverOf(interrupted, {})).rejects.toMatchObject({ code: 130 });
    await expect(serverOf(typing().terminal, { url: "ftp://a" })).rejects.toMatchObject({ code: 64 });
  });
});
