import type { GitSetting } from "./run-git.ts";

/** Settings that name a program to run. */
const programs =
  /^(?:core\.(?:sshcommand|gitproxy|fsmonitor|hookspath|askpass|alternaterefscommand|editor|pager)|credential\..*helper|credential\.helper|filter\..*\.(?:clean|smudge|process|required)|merge\..*\.driver|diff\..*\.(?:command|textconv)|diff\.external|remote\..*\.(?:uploadpack|receivepack|vcs)|gpg\..*program|gpg\.program|hook\..*\.command)$/s;

/** A setting as git lists it. */
export interface Configured {
  /** `local` and `worktree` belong to the repository. */
  readonly scope: string;
  readonly key: string;
  readonly value: string;
}

/** Lists settings as `local\0core.bare\nfalse\0`. */
export const listSettings = ["config", "--null", "--show-scope", "--list"] as const;

/** Parses the output of {@link listSettings}. */
export function settingsIn(listed: string): readonly Configured[] {
  const parts = listed.split("\0");
  return parts.flatMap((scope, index) => {
    const [key = "", ...value] = (parts[index + 1] ?? "").split("\n");
    return index % 2 === 0 && key !== "" ? [{ scope, key, value: value.join("\n") }] : [];
  });
}

/**
 * Overrides such settings of the repository with those of the system and the user, in order, or with nothing. An empty
 * value clears a list of helpers.
 */
export function withoutPrograms(settings: readonly Configured[]): readonly GitSetting[] {
  const isOwn = (scope: string) => scope === "local" || scope === "worktree";
  const named = new Set(
    settings.flatMap(({ scope, key }) => (isOwn(scope) && programs.test(key.toLowerCase()) ? [key] : [])),
  );
  return [...named].flatMap((key): GitSetting[] => {
    const others = settings.filter((each) => each.key === key && !isOwn(each.scope));
    const first: GitSetting = [key, emptyOf(key)];
    return [first, ...others.map((each): GitSetting => [key, each.value])];
  });
}

/** Disables all filters. */
export function withoutFilters(settings: readonly Configured[]): readonly GitSetting[] {
  const keys = settings.flatMap(({ key }) =>
    /^filter\..*\.(?:clean|smudge|process|required)$/s.test(key) ? [key] : [],
  );
  return [...new Set(keys)].map((key): GitSetting => [key, emptyOf(key)]);
}

/** A value with which git runs no program, or its default one. */
function emptyOf(key: string): string {
  const harmless: Readonly<Record<string, string>> = {
    "core.sshcommand": "ssh",
    "core.alternaterefscommand": "true",
    "core.fsmonitor": "false",
    "gpg.program": "gpg",
    "gpg.openpgp.program": "gpg",
    "gpg.x509.program": "gpgsm",
    "gpg.ssh.program": "ssh-keygen",
  };
  if (/^hook\./i.test(key)) return "true";
  return harmless[key.toLowerCase()] ?? (/\.required$/i.test(key) ? "false" : "");
}
