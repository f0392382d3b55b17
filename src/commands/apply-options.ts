import { exit, UserError } from "../base/exit.ts";
import { shellWord } from "../base/shell-word.ts";
import type { DeploymentOptions } from "../deployments/record-apply.ts";
import { waveText } from "../manifest/waves.ts";
import type { Request } from "../reconcile/request.ts";
import { passed } from "./deployments/connected.ts";
import type { Options } from "./table.ts";

/** A saved plan, by its file or by its run. */
export type Saved = Pick<Request, "saved" | "savedRun">;

/** The flag of an option: `dryRun` is `--dry-run`. */
export function optionOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/**
 * The command that goes on with an apply that ended between two waves: the same, since what was applied is in sync by
 * then; a saved plan would be stale.
 */
export function commandAgain({ yes, waves, shard, ...options }: Options<"apply">, saved: Saved | undefined): string {
  const given = (names: readonly (typeof kept)[number][]) =>
    names.flatMap((name) => argumentsFor(name === "C" ? "-C" : optionOf(name), options[name])).join("");
  const staged = `${given(kept)}${waves ? ` --waves ${waves.map(waveText).join(",")}` : ""}`;
  if (saved?.savedRun !== undefined) {
    return `evenkeel plan --save${given(ofPlan)}, then evenkeel apply --plan RUN${staged}`;
  }
  if (saved) {
    const file = shellWord(saved.saved ?? "");
    const then = saved.saved === "-" ? "|" : "&&";
    return `evenkeel plan --out ${file}${given(ofPlan)} ${then} evenkeel apply ${file}${staged}`;
  }
  const part = typeof shard === "object" ? `${shard.index}/${shard.total}` : shard;
  return `evenkeel apply${argumentsFor("--shard", part).join("")}${staged}${yes ? " --yes" : ""}`;
}

/** Options that select what is applied and how it is recorded. */
const kept = [
  "C",
  "target",
  "since",
  "resend",
  "storage",
  "workers",
  "failOnLoosening",
  "allowDeletes",
  "allowProtected",
  "recordDeployment",
  "deploymentProject",
  "sha",
  "ref",
  "tag",
] as const;

/** The options that apply also to a new plan. */
const ofPlan = ["C", "workers"] as const;

function argumentsFor(
  flag: string,
  value: string | number | boolean | readonly string[] | undefined,
): readonly string[] {
  if (value === undefined || value === false) return [];
  if (value === true) return [` ${flag}`];
  return [value].flat().map((each) => ` ${flag} ${shellWord(String(each))}`);
}

/** The requested deployment record, if any. @throws UserError naming every mistake. */
export function deploymentFrom(options: Options<"apply">): DeploymentOptions | undefined {
  const { recordDeployment: environment, deploymentProject: id, sha, ref, tag } = options;
  if (environment === undefined) {
    if (id === undefined && sha === undefined && ref === undefined && tag === undefined) return undefined;
    throw new UserError("--deployment-project, --sha, --ref and --tag need --record-deployment", exit.usage);
  }
  const { values } = passed("createDeployment", { id, environment, sha, ref, tag: tag ?? false }, otherNames);
  return { project: id ?? "", fields: values };
}

const otherNames: Readonly<Record<string, string>> = {
  id: "--deployment-project",
  environment: "--record-deployment",
};
