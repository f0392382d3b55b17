import { grouped } from "../../../../base/grouped.ts";
import { projectNamed } from "../../../../model/identity.ts";
import type { Problem } from "../../../../model/types.ts";
import type { ImportedProject } from "../../imported-project.ts";
import { withOwnFiles, withReferences } from "../../names.ts";
import { draftsOf } from "../../project-drafts.ts";
import { translatorFor } from "../entries.ts";
import {
  distinctEntries,
  distinctProblems,
  type ForeignChoice,
  type ForeignFile,
  type ForeignImport,
  type ForeignIntegration,
  notImported,
  reportUnsupported,
  type TranslatedEntry,
  unusable,
} from "../foreign.ts";
import { resourceEntry } from "../kind-entries.ts";
import { type Declaration, type Declarations, declarationsIn } from "./configuration.ts";
import { type HclBlock, type HclReader, hclReader } from "./hcl.ts";
import { moduleOf } from "./module.ts";
import { declaredBy, resourcesBy } from "./resources.ts";
import { declarationsInState } from "./state.ts";

/** Imports what HCL files or a state declare of projects and groups. Each folder is a module. */
export async function importTerraform(files: readonly ForeignFile[], choice: ForeignChoice): Promise<ForeignImport> {
  const states = files.filter(isJson);
  const sources = files.filter((file) => !isJson(file));
  const read = sources.length > 0 ? await hclReader() : undefined;
  const found = [...states.map(fromJson), ...(read ? fromSources(sources, read) : [])];
  const errors = found.filter((each) => "severity" in each);
  if (errors.length > 0) return { drafts: [], problems: errors };
  const all = found.filter((each) => "declarations" in each);
  return importDeclarations(
    all.flatMap(({ declarations }) => declarations),
    [
      ...all.flatMap((each) => each.problems),
      ...reportUnsupported(
        all.flatMap(({ others }) => others),
        "resource",
      ),
    ],
    choice,
  );
}

function isJson({ text }: ForeignFile): boolean {
  return /^\s*\{/.test(text);
}

function fromJson(file: ForeignFile): Declarations | Problem {
  const isConfiguration = /\.(?:tf|tofu|tfvars)\.json$/.test(file.name);
  const start = { file: file.name, line: 1, column: 1 };
  if (!isConfiguration) return declarationsInState(file);
  return unusable(start, "configurations in JSON are not read; import what terraform show -json prints");
}

function fromSources(files: readonly ForeignFile[], read: HclReader): readonly (Declarations | Problem)[] {
  const folders = grouped(files, ({ name }) => name.replace(/[^/\\]*$/, ""));
  return [...folders.values()].flatMap((members): (Declarations | Problem)[] => {
    const parsed = members.map((file) => ({ file, root: read(file) }));
    const faults = parsed.flatMap(({ root }) => ("severity" in root ? [root] : []));
    const roots = (isWanted: (file: ForeignFile) => boolean) =>
      parsed.flatMap(({ file, root }): HclBlock[] => ("severity" in root || !isWanted(file) ? [] : [root]));
    if (faults.length > 0) return faults;
    const sources = roots((file) => !isVariables(file));
    return [declarationsIn(moduleOf(sources, roots(isVariables)))];
  });
}

function isVariables({ name }: ForeignFile): boolean {
  return name.endsWith(".tfvars");
}

function importDeclarations(
  declarations: readonly Declaration[],
  problems: readonly Problem[],
  choice: ForeignChoice,
): ForeignImport {
  const { catalogue, platform, secrets } = choice;
  const once = distinctBy(declarations, choice);
  const declared = new Map(once.kept.map((each) => [each, statedBy(each, choice)]));
  const usable = [...declared.values()].filter((each) => typeof each === "object" && "slug" in each);
  const { translate, numberOf } = translatorFor(usable, catalogue, platform);
  const left: Problem[] = [...problems, ...once.problems];
  const projects = grouped(once.kept, ({ project }) => project.toLowerCase());
  const imported = [...projects.values()].map((members): ImportedProject => {
    const translated = members.flatMap((member): readonly TranslatedEntry[] => {
      const stated = declared.get(member);
      if (typeof stated !== "object") return [leftOut(member, stated)];
      if ("slug" in stated) return [translate(stated)];
      if (stated.resources.length + stated.problems.length === 0) return [nothingElse(member)];
      const each = stated.resources.map((one) => resourceEntry(one, { catalogue, platform, numberOf }));
      return [{ problems: stated.problems }, ...each];
    });
    const results = distinctEntries(translated, catalogue);
    left.push(...results.flatMap((each) => each.problems));
    const entries = results.flatMap(({ entry }) => entry ?? []);
    const [first] = members;
    return { project: projectNamed(first?.project ?? ""), entries, remarks: [] };
  });
  const named = withReferences(imported, { secrets, catalogue });
  return { drafts: withOwnFiles(draftsOf(named)), problems: distinctProblems(left) };
}

/** Of all instances of a block the same. */
function nothingElse({ resource: { address, place } }: Declaration): TranslatedEntry {
  const block = address.replace(/\[.*\]$/s, "");
  return {
    problems: [notImported(place(), `${block} is left out: it declares no settings, and policies create nothing`)],
  };
}

type Stated = ForeignIntegration | NonNullable<ReturnType<typeof resourcesBy>> | string;

/** An integration or other resources; or why it is not imported. */
function statedBy({ resource }: Declaration, choice: ForeignChoice): Stated {
  return resourcesBy(resource, choice) ?? declaredBy(resource);
}

function leftOut({ resource }: Declaration, why = ""): TranslatedEntry {
  return { problems: [notImported(resource.place(), `${resource.address} is left out: ${why}`)] };
}

/** Reports duplicate declarations of a resource. */
function distinctBy(declarations: readonly Declaration[], choice: ForeignChoice) {
  const known = new Map<string, Declaration>();
  const again: Problem[] = [];
  for (const each of declarations) {
    const stated = statedBy(each, choice);
    const name = typeof stated === "object" && "slug" in stated ? `integration/${stated.slug}` : each.resource.address;
    const key = JSON.stringify([each.project.toLowerCase(), name]);
    const first = known.get(key);
    if (first) again.push(...leftOut(each, `${first.resource.address} declares it already`).problems);
    else known.set(key, each);
  }
  return { kept: [...known.values()], problems: again };
}
