import { ignoreUserError } from "../base/exit.ts";
import { openGit } from "../git/open-git.ts";

/** Subjects of commits, read from the repository of a workspace once. */
export interface CommitSubjects {
  /** Undefined for a commit that is not there, or that git was not asked for yet. */
  readonly of: (commit: string) => string | undefined;
  /** Asks git for those that are not known. A slow git keeps nobody waiting: the next page has them. */
  readonly read: (commits: readonly string[]) => Promise<void>;
}

/** Milliseconds to wait for git, and commits that it is asked for at a time. */
const [patience, most] = [300, 50];

/** A hash and nothing else, so that none is taken for an option of git. */
const hash = /^[0-9a-f]{40,64}$/;

export function commitSubjects(folder: string): CommitSubjects {
  const known = new Map<string, string>();
  const asked = new Set<string>();
  const ask = async (commits: readonly string[]) => {
    const git = openGit(folder);
    if ("failed" in git) return;
    const options = ["--no-walk=unsorted", "--ignore-missing", "--format=%H %s"];
    const { stdout } = await git.start(["log", ...options, ...commits, "--"]);
    for (const line of stdout.split("\n")) {
      const [commit = "", ...words] = line.split(" ");
      if (words.length > 0) known.set(commit, words.join(" ").slice(0, 200));
    }
  };
  return {
    of: (commit) => known.get(commit) || undefined,
    read: async (commits) => {
      const unknown = [...new Set(commits)].filter((commit) => hash.test(commit) && !asked.has(commit)).slice(0, most);
      if (unknown.length === 0) return;
      for (const commit of unknown) asked.add(commit);
      const answered = ask(unknown).catch(ignoreUserError);
      await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, patience))]);
    },
  };
}
