import { resolve } from "node:path";
import { exit, UserError } from "../base/exit.ts";
import { isReleaseText } from "../model/releases.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** The options of every command with a workspace and a server. */
export type OnlineOptions = Options<"drift">;

/** The globs of a flag. @throws UserError for an invalid one. */
export function globsOf(
  flag: string,
  globs: readonly string[] = [],
  faultOf: (glob: string) => string | undefined,
): readonly string[] {
  for (const glob of globs) {
    const fault = faultOf(glob);
    if (fault) throw new UserError(`${flag} ${JSON.stringify(glob.slice(0, 100))}: expected ${fault}`, exit.usage);
  }
  return globs;
}

export function folderOf(terminal: Terminal, { C }: Pick<OnlineOptions, "C">): string {
  return resolve(terminal.cwd, C ?? ".");
}

/** The value of `--release`. @throws UserError if it is not a release. */
export function checkedRelease(release: string): string {
  if (isReleaseText(release)) return release;
  throw new UserError(`--release takes a release such as 15.0, not ${JSON.stringify(release)}`, exit.usage);
}
