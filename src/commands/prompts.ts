import { exit, UserError } from "../base/exit.ts";
import { parseManifest } from "../manifest/document.ts";
import { readWorkspace, workspaceFile } from "../manifest/workspace.ts";
import type { Tier } from "../model/types.ts";
import type { AskQuestion, Terminal } from "./terminal.ts";

/** The server settings of a new workspace. An empty release is read from the server; an empty tier disables its checks. */
export interface ServerSettings {
  readonly url: string;
  readonly release: string;
  readonly tier: Tier | "";
}

/** The default server URL of a new workspace. */
export const exampleUrl = "https://code.example.com";

interface Row {
  readonly name: keyof ServerSettings;
  readonly question: string;
  /** The default. */
  readonly standard: string;
  readonly expected: string;
}

const rows: readonly Row[] = [
  {
    name: "url",
    question: "Address of the server",
    standard: exampleUrl,
    expected: `an http or https address, such as ${exampleUrl}`,
  },
  {
    name: "release",
    question: "Its release; leave empty to ask the server",
    standard: "",
    expected: "a release, such as 14.5 or 14.5.2",
  },
  {
    name: "tier",
    question: "Its tier: free, premium or ultimate; leave empty to check no tier",
    standard: "",
    expected: "free, premium or ultimate",
  },
];

/**
 * Settings from flags and, on a terminal, from prompts; an invalid answer is asked for again.
 * @throws UserError for an invalid flag, and if input ends.
 */
export async function serverOf(terminal: Terminal, given: Partial<ServerSettings>): Promise<ServerSettings> {
  for (const row of rows) {
    const value = given[row.name];
    if (value !== undefined && !isRight(row, value)) {
      throw new UserError(`--${row.name}: expected ${row.expected}`, exit.usage);
    }
  }
  const open = rows.filter(({ name }) => given[name] === undefined);
  const standard = Object.fromEntries(rows.map((row) => [row.name, row.standard])) as unknown as ServerSettings;
  if (!terminal.interactive || open.length === 0) return { ...standard, ...given };
  return terminal.interview(async (ask) => {
    const answers: Record<string, string> = {};
    for (const row of open) answers[row.name] = await answerTo(row, ask, terminal);
    return { ...standard, ...given, ...answers };
  });
}

async function answerTo(row: Row, ask: AskQuestion, terminal: Terminal): Promise<string> {
  for (;;) {
    const answer = await ask(row.standard ? `${row.question} [${row.standard}]:` : `${row.question}:`);
    if (answer === undefined) {
      const code = terminal.interrupted.aborted ? exit.interrupted : exit.problem;
      throw new UserError("nothing was written, because there was no answer", code);
    }
    const value = answer || row.standard;
    if (isRight(row, value)) return value;
    terminal.warn(`Expected ${row.expected}.`);
  }
}

/** Validates it by the rules of a workspace. */
function isRight({ name, standard }: Row, value: string): boolean {
  if (value === standard) return true;
  const text = JSON.stringify({ apiVersion: "evenkeel/v1", kind: "Workspace", server: { [name]: value } });
  return readWorkspace(parseManifest(workspaceFile, text)).problems.length === 0;
}
