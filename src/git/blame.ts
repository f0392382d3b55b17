import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ifPossible } from "../base/exit.ts";
import { openGit } from "./open-git.ts";
import type { GitRan } from "./run-git.ts";

export interface LineCommit {
  readonly sha: string;
  readonly author: string;
  readonly date: string;
  readonly subject: string;
  /** True if the clone is shallow, so that the line is from this commit or an earlier one. */
  readonly shallow: boolean;
}

/** Commits by line, null for uncommitted lines; or an error message. */
export type Blame = ReadonlyMap<number, LineCommit | null> | { readonly why: string };

/** The commits of these lines of a file; the first line is 1. Links are followed, because git would blame the link. */
export function blameLines(root: string, file: string, lines: readonly number[]): Blame {
  const path = ifPossible(() => realpathSync(join(root, file)));
  if (path === undefined) return { why: unknown };
  const git = openGit(dirname(path));
  if ("failed" in git) return explainMissing(git.failed, lines);
  const ranges = [...new Set(lines)].flatMap((line) => ["-L", `${line},${line}`]);
  const options = ["--line-porcelain", "--encoding=UTF-8", "--no-textconv"];
  const ran = git.run("blame", ...options, ...ranges, "--", basename(path));
  if (ran.code !== 0) return explainMissing(ran, lines);
  const isShallow = () => git.run("rev-parse", "--is-shallow-repository").stdout.trim() === "true";
  return parseBlame(ran.stdout, ran.stdout.includes("\nboundary\n") && isShallow());
}

/** Lines of untracked files, and of repositories without commits, are uncommitted. */
function explainMissing({ code, stderr }: GitRan, lines: readonly number[]): Blame {
  if (code === null) return { why: "git is not installed" };
  if (/no such (?:path|ref)|does not have any commits|cannot stat path/i.test(stderr)) {
    return new Map(lines.map((line) => [line, null]));
  }
  if (stderr.includes("not a git repository")) return { why: "not under git" };
  if (!stderr.includes("dubious ownership")) return { why: unknown };
  return { why: "git does not trust this repository, which another user owns; see git's safe.directory" };
}

const unknown = "git cannot tell who wrote it";

/** A commit with the number of its line and its details, which end at the line itself. */
const records = /^([0-9a-f]{40,64}) \d+ (\d+).*?\n(.*?)^\t/gms;

function parseBlame(text: string, isClipped: boolean): ReadonlyMap<number, LineCommit | null> {
  const lines = Array.from(text.matchAll(records), ([, sha = "", line, details = ""]) => {
    const read = (name: string) => new RegExp(`^${name} (.*)$`, "m").exec(details)?.[1] ?? "";
    const commit: LineCommit = {
      sha,
      author: read("author"),
      date: formatDate(Number(read("author-time")), read("author-tz")),
      subject: read("summary"),
      shallow: isClipped && /^boundary$/m.test(details),
    };
    return [Number(line), /^0+$/.test(sha) ? null : commit] as const;
  });
  return new Map(lines);
}

function formatDate(seconds: number, zone: string): string {
  const [, sign = "+", hours = "00", minutes = "00"] = /^([+-])(\d\d)(\d\d)$/.exec(zone) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -60 : 60);
  const local = new Date((seconds + offset) * 1000);
  return Number.isNaN(local.getTime()) ? "" : `${local.toISOString().slice(0, 19)}${sign}${hours}:${minutes}`;
}
