import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { env } from "node:process";
import { gitEnvironment } from "./repository.ts";

/** The commit that wrote a line. */
export interface LineCommit {
  readonly sha: string;
  readonly author: string;
  /** ISO 8601, in the author's own time zone. */
  readonly date: string;
  readonly subject: string;
  /** The clone does not reach back to where the line was written: this commit, or an earlier one. */
  readonly shallow: boolean;
}

/** Commits by line; null for a line that is not committed yet. Or why git cannot tell, in words. */
export type Blame = ReadonlyMap<number, LineCommit | null> | { readonly why: string };

/**
 * Who wrote these lines of a file, from 1. Asks git alone, which reads the repository and writes nothing; a link is
 * followed, since git would tell of the link.
 */
export function blameLines(root: string, file: string, lines: readonly number[]): Blame {
  try {
    const path = realpathSync(join(root, file));
    const ranges = [...new Set(lines)].flatMap((line) => ["-L", `${line},${line}`]);
    const text = blame(dirname(path), [...ranges, "--", basename(path)]);
    const shallow = text.includes("\nboundary\n") && isShallow(dirname(path));
    return parsed(text, shallow);
  } catch (error) {
    return whyNot(error, lines);
  }
}

/** Nothing that a repository names is run: neither what shows files otherwise nor what changes them on their way in. */
function git(cwd: string, words: readonly string[], config: NodeJS.ProcessEnv = {}): string {
  const safe = ["--no-pager", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false"];
  return execFileSync("git", [...safe, ...words], {
    cwd,
    encoding: "utf8",
    env: { ...gitEnvironment(cwd), GIT_TERMINAL_PROMPT: "0", ...config },
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** Settings that turn every filter of a repository off; those that are passed by the environment already stay. */
function withoutFilters(cwd: string): NodeJS.ProcessEnv {
  const listed = git(cwd, ["config", "--null", "--name-only", "--list"]).split("\0");
  const filters = new Set(listed.filter((key) => /^filter\..*\.(?:clean|process|required)$/s.test(key)));
  const first = Number(env.GIT_CONFIG_COUNT ?? 0);
  const settings = [...filters].flatMap((key, index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, key.endsWith(".required") ? "false" : ""],
  ]);
  return { ...Object.fromEntries(settings), GIT_CONFIG_COUNT: String(first + filters.size) };
}

function blame(cwd: string, words: readonly string[]): string {
  return git(cwd, ["blame", "--porcelain", "--encoding=UTF-8", "--no-textconv", ...words], withoutFilters(cwd));
}

function isShallow(cwd: string): boolean {
  return git(cwd, ["rev-parse", "--is-shallow-repository"]).trim() === "true";
}

const reasons: readonly (readonly [RegExp, string])[] = [
  [/not a git repository/, "not under git"],
  [/dubious ownership/, "git does not trust this repository, which somebody else owns; see git's safe.directory"],
];

/** A file that git does not know, or a repository without a commit, has lines that are not committed. */
function whyNot(error: unknown, lines: readonly number[]): Blame {
  const { code, stderr = "" } = error as { readonly code?: string; readonly stderr?: string };
  if (code === "ENOENT") return { why: "git is not installed" };
  if (/no such (?:path|ref)|does not have any commits|cannot stat path/i.test(stderr)) {
    return new Map(lines.map((line) => [line, null]));
  }
  return { why: reasons.find(([pattern]) => pattern.test(stderr))?.[1] ?? "git cannot tell who wrote it" };
}

const heading = /^([0-9a-f]{40,64}) \d+ (\d+)/;

/** Git tells of each commit once: its lines after the first have no more than its name. */
function parsed(text: string, isClipped: boolean): ReadonlyMap<number, LineCommit | null> {
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
    date: dateIn(Number(facts.get("author-time")), facts.get("author-tz") ?? "+0000"),
    subject: facts.get("summary") ?? "",
    shallow: isClipped && facts.has("boundary"),
  };
}

function dateIn(seconds: number, zone: string): string {
  const [, sign = "+", hours = "00", minutes = "00"] = /^([+-])(\d\d)(\d\d)$/.exec(zone) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -60 : 60);
  const local = new Date((seconds + offset) * 1000);
  return Number.isNaN(local.getTime()) ? "" : `${local.toISOString().slice(0, 19)}${sign}${hours}:${minutes}`;
}
