import { exit, UserError } from "../base/exit.ts";

/** What `--release` was given. @throws UserError where it is no release. */
export function checkedRelease(release: string): string {
  if (/^\d{1,4}\.\d{1,4}(?:\.\d{1,4})?$/.test(release)) return release;
  throw new UserError(`--release takes a release such as 15.0, not ${JSON.stringify(release)}`, exit.usage);
}
