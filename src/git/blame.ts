import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
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
  const path = realPath(join(root, file));
  if (path === undefined) return { why: unknown };
  const git = openGit(dirname(path));
  if ("failed" in git) return explainMissing(git.failed, lines);
  const ranges = [...new Set(lines)].flatMap((line) => ["-L", `${line},${line}`]);
  const options = ["--porcelain", "--encoding=UTF-8", "--no-textconv"];
  const ran = git.run("blame", ...options, ...ranges, "--", basename(path));
  if (ran.code !== 0) return explainMissing(ran, lines);
  const isShallow = () => git.run("rev-parse", "--is-shallow-repository").stdout.trim() === "true";
  return parseBlame(ran.stdout, ran.stdout.includes("\nboundary\n") && isShallow());
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

const reasons: readonly (readonly [RegExp, string])[] = [
  [/not a git repository/, "not under git"],
  [/dubious ownership/, "git does not trust this repository, which another user owns; see git's safe.directory"],
];

/** Lines of untracked files, and of repositories without commits, are uncommitted. */
function explainMissing({ code, stderr }: GitRan, lines: readonly number[]): Blame {
  if (code === null) return { why: "git is not installed" };
  if (/no such (?:path|ref)|does not have any commits|cannot stat path/i.test(stderr)) {
    return new Map(lines.map((line) => [line, null]));
  }
  return { why: reasons.find(([pattern]) => pattern.test(stderr))?.[1] ?? unknown };
}

const unknown = "git cannot tell who wrote it";

const heading = /^([0-9a-f]{40,64}) \d+ (\d+)/;

/** Git prints the details of a commit only with its first line. */
function parseBlame(text: string, isClipped: boolean): ReadonlyMap<number, LineCommit | null> {
  const commits = new Map<string, Map<string, string>>();
  const lines: [number, string][] = [];
  let facts = new Map<string, string>();
  for (const row of text.split("\n")) {
    const [, sha = "", line = ""] = heading.exec(row) ?? [];
    if (sha) {
      facts = commits.get(sha) ?? new Map();
      commits.set(sha, facts);
      lines.push([Number(line), sha]);
    } else if (!row.startsWith("\t")) {
      const [name = ""] = row.split(" ", 1);
      if (!facts.has(name)) facts.set(name, row.slice(name.length + 1));
    }
  }
  return new Map(lines.map(([line, sha]) => [line, commitOfLine(sha, commits.get(sha) ?? new Map(), isClipped)]));
}

function commitOfLine(sha: string, facts: ReadonlyMap<string, string>, isClipped: boolean): LineCommit | null {
  if (/^0+$/.test(sha)) return null;
  return {
    sha,
    author: facts.get("author") ?? "",
    date: formatDate(Number(facts.get("author-time")), facts.get("author-tz") ?? "+0000"),
    subject: facts.get("summary") ?? "",
    shallow: isClipped && facts.has("boundary"),
  };
}

function formatDate(seconds: number, zone: string): string {
  const [, sign = "+", hours = "00", minutes = "00"] = /^([+-])(\d\d)(\d\d)$/.exec(zone) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -60 : 60);
  const local = new Date((seconds + offset) * 1000);
  return Number.isNaN(local.getTime()) ? "" : `${local.toISOString().slice(0, 19)}${sign}${hours}:${minutes}`;
}
