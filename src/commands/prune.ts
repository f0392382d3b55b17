import { rmSync } from "node:fs";
import { join } from "node:path";
import { writeTexts } from "../author/accept/manifests.ts";
import { changesByPruning, pruneTexts } from "../author/prune.ts";
import { type ExitCode, exit, exitCode, UserError } from "../base/exit.ts";
import { isWide } from "../manifest/overrides.ts";
import { prunableEntries, widePolicies } from "../manifest/prune.ts";
import { type PruneReport, prunedCounts, pruneJson, pruneText } from "../report/prune.ts";
import type { Checked } from "../run/context.ts";
import type { Run } from "./command.ts";
import { openReports, save } from "./outputs.ts";
import { findPolicy, openOffline } from "./overrides.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";

export const run: Run<Options<"prune">> = async (terminal, options, names) => {
  const report = openReports(terminal, options.report);
  const yields = options.yield === true;
  if (yields && names.length !== 1) throw new UserError("--yield takes one policy, to which others yield", exit.usage);
  const opened = await openOffline(terminal, options);
  if (!opened) return exitCode({ problem: true });
  const { context, projects, fleet } = opened;
  const { policies } = context;
  const wide = names.length > 0 ? names.map((name) => findPolicy(name, policies)) : widePolicies(policies);
  const entries = prunableEntries({ policies, projects, wide, yields });
  const pruned = pruneTexts(context, entries);
  const changes = changesByPruning(context, pruned, projects);
  const found: PruneReport = {
    ...{ entries: pruned.removed, left: pruned.left, changes, policies: pruned.emptied.length },
    unseen: yields && !fleet && pruned.removed.some(({ policy }) => isWide(policy)),
    files: [...pruned.texts.values()].filter((text) => text === "").length,
  };
  const { catalogue } = context.loaded.workspace;
  report({
    text: () => (entries.length > 0 ? pruneText(found, catalogue, terminal.palette) : ""),
    json: () => pruneJson(found),
  });
  if (entries.length === 0) {
    terminal.note("Nothing to prune.");
    return exitCode({});
  }
  return writePruned(terminal, options, { context, pruned, found });
};

interface Writing {
  readonly context: Checked;
  readonly pruned: ReturnType<typeof pruneTexts>;
  readonly found: PruneReport;
}

async function writePruned(
  terminal: Terminal,
  options: Options<"prune">,
  { context, pruned, found }: Writing,
): Promise<ExitCode> {
  if (options.check) {
    terminal.note(`Could go: ${prunedCounts({ ...found, entries: [...found.entries, ...found.left] })}.`);
    return exitCode({ problem: true });
  }
  const counts = prunedCounts(found);
  const isChange = found.changes.length > 0 || found.unseen;
  if (!options.yield && found.changes.length > 0)
    throw new UserError(`${found.changes[0]?.address} would change; nothing was written`);
  if (options.yield && !options.yes && isChange) {
    if (!(await terminal.confirm(`Remove ${counts}? Only yes removes them: `))) {
      terminal.note("Nothing was written.");
      return exitCode({ problem: true });
    }
  }
  writeTexts(context, (root, texts) => writeFiles(terminal, root, texts), pruned);
  terminal.note(`Removed ${counts}.`);
  return exitCode({ problem: pruned.left.length > 0 });
}

function writeFiles(terminal: Terminal, root: string, texts: ReadonlyMap<string, string>): void {
  for (const [name, text] of texts) {
    const path = join(root, name);
    if (text.trim() === "") rmSync(path);
    else save(terminal, path, text);
  }
}
