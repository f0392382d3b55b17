import { dirname } from "node:path";
import { setFlagsFromString } from "node:v8";
import { exit } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { chooseAccess } from "../console/access.ts";
import { serveConsole } from "../console/app.ts";
import { watchState } from "../console/known-state.ts";
import { openState } from "../state/open-state.ts";
import { catalogueAround, findWorkspace, loadSettings } from "../workspace/load.ts";
import type { Options, Run } from "./command.ts";
import { serveUntilInterrupted } from "./terminal.ts";

/**
 * Limits V8's young generation, which would grow to 32 MB and stay allocated between requests: neither a page nor a
 * shard needs as much.
 */
const keepYoungSmall = "--semi-space-growth-factor=1";

export const run: Run<Options<"console">> = async (terminal, options) => {
  const { host, port, trustUserHeader } = options;
  const { env } = terminal;
  const access = chooseAccess(host, trustUserHeader, env);
  setFlagsFromString(keepYoungSmall);
  const folder = dirname(findWorkspace(terminal.folder));
  const { name, server } = loadSettings(folder);
  const catalogue = catalogueAround(folder, server.dialect);
  await using state = await watchState(() => openState({ root: folder, name, env }));
  const workspace = name ?? folder;
  const onError = (error: unknown) => {
    const { message, stack = message } = error instanceof Error ? error : { message: String(error) };
    terminal.warn(printable(`internal error: ${env.EVENKEEL_DEBUG === "1" ? stack : message}`));
  };
  const consoleOptions = { state, access, env, folder, catalogue, workspace, onError };
  await using listening = await serveConsole(host, port, consoleOptions);
  await serveUntilInterrupted(terminal, listening.url);
  return exit.done;
};
