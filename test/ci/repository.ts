import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { read, root } from "../readme.ts";
import { type Folder, folder, tempFolder } from "../support/folder.ts";

/** A repository of policies with its pipeline, and the commits of a merge request to it. */
export interface Repository extends Folder {
  /** The merge request's last commit, and the commit that it starts from, which is the default branch's. */
  readonly head: string;
  readonly base: string;
  /** A new clone, at the merge request's last commit or merged, or at the default branch; of all commits, or of few. */
  readonly checkout: (at: "head" | "merged" | "main", depth?: number) => string;
}

/** The quickstart's policies behind narrow guards; the merge request renames a channel. */
export function policyRepository(name = "policies"): Repository {
  const files = folder({ "evenkeel.yaml": workspace.replace("NAME", name) });
  const quickstart = "examples/quickstart/policies";
  for (const name of readdirSync(join(root, quickstart)))
    files.write(`policies/${name}`, read(`${quickstart}/${name}`));
  for (const name of ["plan", "apply", "drift"]) files.write(`templates/${name}.yml`, read(`templates/${name}.yml`));
  files.write(".gitlab-ci.yml", including);
  const git = gitIn(files.root);
  git("init", "--quiet", "--initial-branch=main");
  const commit = (message: string) => {
    git("add", "--all");
    git("commit", "--quiet", "--message", message);
    return git("rev-parse", "HEAD");
  };
  const base = commit("Policies");
  git("switch", "--quiet", "--create", "channel");
  files.write("policies/payments.yaml", files.read("policies/payments.yaml").replace('"#payments-core"', '"#core"'));
  const head = commit("Another channel");
  git("switch", "--quiet", "--create", "merged", "main");
  git("merge", "--quiet", "--no-ff", "--message", "Merged", "channel");
  return { ...files, head, base, checkout: (at, depth) => cloneOf(files.root, at === "head" ? "channel" : at, depth) };
}

const workspace = `apiVersion: evenkeel/v1
kind: Workspace
name: NAME
server: { url: "https://code.example.com", release: "14.5", tier: ultimate }
manifests: ["policies/*.yaml"]
guards: { deletePercent: 10, deleteMinimum: 1 }
`;

/** What a project that includes the components gets of them. */
const including = `include:
  - local: templates/plan.yml
    inputs: { stage: test, options: --fail-on-loosening }
  - local: templates/apply.yml
  - local: templates/drift.yml
variables: { EVENKEEL_IMAGE: "registry.example.com/evenkeel:0.1.0" }
`;

function gitIn(cwd: string): (...words: readonly string[]) => string {
  const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"];
  return (...words) => execFileSync("git", [...author, ...words], { cwd, encoding: "utf8" }).trim();
}

function cloneOf(from: string, branch: string, depth?: number): string {
  const to = join(tempFolder(), "checkout");
  const short = depth === undefined ? [] : ["--depth", String(depth)];
  gitIn(from)("clone", "--quiet", ...short, "--branch", branch, `file://${from}`, to);
  return to;
}
