import { UserError } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { connectReader } from "../client/client.ts";
import { explained } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { findDialect } from "../live/find-dialect.ts";
import { readRelease } from "../live/read-release.ts";
import { neutral } from "../model/dialects.ts";
import { connectionTo } from "../reconcile/connection.ts";
import { exampleUrl } from "./prompts.ts";
import type { Terminal } from "./terminal.ts";

/** The dialect of a new workspace. `because` is missing if it is only assumed, and empty if the user named it. */
export interface ChosenDialect {
  readonly dialect: string;
  readonly because?: string;
  /** The release that the server reports, if it was asked and reports one. */
  readonly release?: string;
}

const assumed: ChosenDialect = { dialect: neutral.name };

/** Milliseconds for which a server that does not answer is waited for. */
const patience = 10_000;

/**
 * The dialect that a flag names, else that of the server, which is asked if there is a token for it. Why it could not be
 * asked is noted, and the specification's own is assumed.
 */
export async function chooseDialect(
  terminal: Terminal,
  url: string,
  named: string | undefined,
): Promise<ChosenDialect> {
  if (named !== undefined) return { dialect: named, because: "" };
  if (!hasToken(terminal.env) || (url === exampleUrl && !terminal.env.EVENKEEL_URL)) return assumed;
  const { why, ...found } = await askServer(terminal, url);
  if (why !== undefined) terminal.note(printable(`note: the server did not show which dialect it uses: ${why}`));
  return { ...assumed, ...found };
}

/** Whether a token is set; it may not be valid. */
export function hasToken({ EVENKEEL_TOKEN, EVENKEEL_TOKEN_FILE }: Terminal["env"]): boolean {
  return Boolean(EVENKEEL_TOKEN || EVENKEEL_TOKEN_FILE);
}

const unseen = "it has no project, or none whose integrations the token may read";

/** What the server shows of its dialect and release, or why it does not show the dialect. */
async function askServer(terminal: Terminal, url: string): Promise<Partial<ChosenDialect> & { readonly why?: string }> {
  const { cwd: folder, env, interrupted: signal, listen: connecting } = terminal;
  try {
    const connection = connectionTo(url, { folder, env, signal, connecting, patience: { giveUpAfter: patience } });
    await using reader = await connectReader(connection);
    const found = (await findDialect(reader)) ?? { why: unseen };
    const release = await readRelease(reader);
    return release === undefined ? found : { ...found, release };
  } catch (error) {
    if (error instanceof CallFailed) return { why: explained(error) };
    if (error instanceof UserError) return { why: error.message };
    throw error;
  }
}
