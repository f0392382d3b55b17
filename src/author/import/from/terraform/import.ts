import { posix } from "node:path";
import { UserError } from "../../../../base/exit.ts";
import { grouped } from "../../../../base/grouped.ts";
import { isObject, type JsonObject, parsedJson } from "../../../../base/json.ts";
import { placesIn } from "../../../../manifest/positions.ts";
import { projectNamed } from "../../../../model/identity.ts";
import { instanceName, ownerName } from "../../../../model/owner.ts";
import type { Place, Problem } from "../../../../model/types.ts";
import { draftsOf, withOwnFiles, withReferences } from "../../names.ts";
import { translatorFor } from "../entries.ts";
import {
  distinctEntries,
  distinctProblems,
  type ForeignChoice,
  type ForeignFile,
  type ForeignImport,
  type ForeignValue,
  notImported,
  reportUnsupported,
  unusable,
} from "../foreign.ts";
import { collectModule, type Declarations, type TerraformDeclaration } from "./configuration.ts";
import { constant } from "./expression.ts";
import { type HclBlock, type HclReader, hclReader } from "./hcl.ts";
import { calledFolder, moduleOf, variablesIn } from "./module.ts";
import {
  explainUnsupported,
  isMapped,
  ownerAttributes,
  ownerOfType,
  type ProviderResource,
  resourcesBy,
} from "./resources.ts";

/** Imports the projects and groups of HCL files, a plan or a state. Each folder is a module. */
export async function importTerraform(files: readonly ForeignFile[], choice: ForeignChoice): Promise<ForeignImport> {
  const isAlone = files.every(isJson);
  const states = files.filter((file) => isAlone || (isJson(file) && !isVariables(file) && !isText(file)));
  const sources = files.filter((file) => !states.includes(file));
  const into: Declarations = { declarations: [], problems: [], others: [] };
  for (const file of states) collectState(file, into);
  if (sources.length > 0) collectSources(sources, await hclReader(), into);
  const errors = into.problems.filter(({ severity }) => severity === "error");
  return errors.length > 0 ? { drafts: [], problems: errors } : importDeclarations(into, choice);
}

function isJson({ text }: ForeignFile): boolean {
  return /^\s*\{/.test(text);
}

function startOf({ name }: ForeignFile): Place {
  return { file: name, line: 1, column: 1 };
}

/** The modules of the folders that no other module calls. */
function collectSources(files: readonly ForeignFile[], read: HclReader, into: Declarations): void {
  const written = files.filter((file) => !isText(file));
  const parsed = written.map((file) => ({ file, root: isJson(file) ? readJsonVariables(file) : read(file) }));
  into.problems.push(...parsed.flatMap(({ root }) => ("severity" in root ? [root] : [])));
  if (into.problems.some(({ severity }) => severity === "error")) return;
  const texts = new Map(files.filter(isText).map((file) => [normalPath(file.name), file]));
  const unread = new Set(texts.values());
  const textOf = (path: string): string | undefined => {
    const file = texts.get(path);
    if (file) unread.delete(file);
    return file?.text;
  };
  const folders = grouped(parsed, ({ file }) => posix.dirname(normalPath(file.name)));
  const roots = (folder: string, isWanted: (file: ForeignFile) => boolean) =>
    (folders.get(folder) ?? []).flatMap(({ file, root }) => (isWanted(file) && !("severity" in root) ? [root] : []));
  const blocks = new Map(
    Array.from(folders.keys(), (folder) => {
      const sources = roots(folder, (file) => !isVariables(file));
      return [folder, sources.flatMap((source) => source.blocks)];
    }),
  );
  const called = new Set([...blocks].flatMap(([folder, own]) => own.map((block) => calledFolder(block, folder))));
  const uncalled = [...blocks.keys()].filter((folder) => !called.has(folder));
  const [first] = files;
  if (uncalled.length === 0 && first && written.length > 0)
    into.problems.push(unusable(startOf(first), "these modules call one another in a circle"));
  const effort = { depth: 0, steps: 0 };
  for (const root of uncalled) {
    const inputs = variablesIn(roots(root, isVariables), effort);
    collectModule(moduleOf(root, { root, blocks, textOf, effort }, inputs), into);
  }
  for (const file of unread) {
    const message = `${file.name} is left out: no file() of the configurations reads it`;
    into.problems.push(notImported(startOf(file), message));
  }
}

function normalPath(name: string): string {
  return posix.normalize(name.replaceAll("\\", "/"));
}

function isVariables({ name }: ForeignFile): boolean {
  return /\.tfvars(?:\.json)?$/.test(name);
}

/** True for a file that configurations may read with `file`: no state, plan or configuration. */
function isText({ name, text }: ForeignFile): boolean {
  if (/\.ya?ml$/.test(name)) return true;
  return /(?<!\.tf|\.tofu|\.tfvars)\.json$/.test(name) && !/"(?:terraform|format)_version"/.test(text);
}

function readJsonVariables(file: ForeignFile): HclBlock | Problem {
  const place = startOf(file);
  const values = parsedJson(file.text);
  if (!isObject(values)) return unusable(place, "expected values of variables in JSON");
  const attributes = Object.entries(values).map(([name, each]) => [name, { value: constant(each), place }] as const);
  return { type: "", labels: [], attributes: new Map(attributes), blocks: [], place };
}

function importDeclarations({ declarations, problems, others }: Declarations, choice: ForeignChoice): ForeignImport {
  const stated = declarations.map((each) => ({ ...each, ...toStated(each, choice) }));
  const all = stated.flatMap(({ resources }) => resources);
  const translate = translatorFor(all, choice);
  const left = [...problems, ...reportUnsupported(others, "resource", explainUnsupported)];
  const imported = [...grouped(stated, ({ project }) => project.toLowerCase()).values()].map((members) => {
    const translated = members.flatMap((each) => [{ problems: each.problems }, ...each.resources.map(translate)]);
    const results = distinctEntries(translated, choice.catalogue);
    left.push(...results.flatMap((each) => each.problems));
    const entries = results.flatMap(({ entry }) => entry ?? []);
    return { project: projectNamed(members[0].project), entries, remarks: [] };
  });
  return { drafts: withOwnFiles(draftsOf(withReferences(imported, choice))), problems: distinctProblems(left) };
}

function toStated({ project, resource }: TerraformDeclaration, choice: ForeignChoice) {
  const { address, place } = resource;
  const left = (why: string, name = address) => ({
    resources: [],
    problems: [notImported(place(), `${name} is left out: ${why}`)],
  });
  if (/[*?[\]{}$!]/.test(project)) return left(`${project} is no path`);
  const found = resourcesBy(resource, choice);
  if (typeof found === "string") return left(found);
  if (found.resources.length + found.problems.length > 0) return found;
  // All instances of a block share the message.
  return left("it declares no settings, and policies create nothing", address.replace(/\[.*\]$/s, ""));
}

/** A resource of a state, in either format. */
interface StateResource {
  readonly address: string;
  readonly type: string;
  readonly values: JsonObject;
  /** Attributes that Terraform marks as sensitive. */
  readonly sensitive: ReadonlySet<string>;
  readonly path: readonly (string | number)[];
  /** The key of its attributes. */
  readonly within: "values" | "attributes";
}

/** Resources in a state file or in the output of `terraform show -json`. */
function collectState(file: ForeignFile, into: Declarations): void {
  const state = parsedJson(file.text);
  const isConfiguration = /\.(?:tf|tofu)\.json$/.test(file.name);
  const fault = isConfiguration
    ? "configurations in JSON are not read; import what terraform show -json prints"
    : "expected a state of Terraform in JSON";
  const resources = isConfiguration || !isObject(state) ? fault : listResources(state);
  if (typeof resources === "string" || !isObject(state)) {
    into.problems.push(unusable(startOf(file), String(resources)));
    return;
  }
  const { name, text } = file;
  const known = text.length > mostPlaced ? undefined : placesIn({ file: name, text, linesBefore: 0 });
  const places = (path: StateResource["path"]) => known?.place(0, path, "key") ?? startOf(file);
  // The state before a plan also has resources that the configuration only reads.
  const prior = isObject(state.prior_state) ? listResources(state.prior_state) : [];
  const paths = new Map([...(typeof prior === "string" ? [] : prior), ...resources].flatMap(pathById));
  for (const each of resources) {
    const { type, address, path } = each;
    const project = isMapped(type) ? findOwner(each, paths) : undefined;
    if (project !== undefined) into.declarations.push({ project, resource: toResource(each, places) });
    else if (isMapped(type)) {
      const message = `${address} is left out: it has no ${ownerOfType(type)}`;
      into.problems.push(notImported(places(path), message));
    } else if (type.startsWith("gitlab_")) into.others.push({ name: type, place: () => places(path) });
  }
}

/** Positions in a larger file take too long to compute. */
const mostPlaced = 4 * 1024 * 1024;

function listResources(state: JsonObject): readonly StateResource[] | string {
  for (const of of ["planned_values", "values"]) {
    const { [of]: values } = state;
    if (isObject(values)) return isObject(values.root_module) ? readShown(values.root_module, [of, "root_module"]) : [];
  }
  if (state.format_version !== undefined) return [];
  if (state.version === 4 && Array.isArray(state.resources)) return state.resources.flatMap(readStored);
  return "expected a state of version 4, or what terraform show -json prints of it or of a plan";
}

const mostDepth = 50;

function readShown(module: JsonObject, path: readonly (string | number)[]): readonly StateResource[] {
  if (path.length > 2 * mostDepth) throw new UserError(`modules are nested more than ${mostDepth} levels deep`);
  const own = toObjects(module.resources)
    .filter(({ address, type }) => typeof address !== "object" && typeof type === "string")
    .map((each, index): StateResource => {
      const sensitive = Object.entries(isObject(each.sensitive_values) ? each.sensitive_values : {});
      const values = isObject(each.values) ? each.values : {};
      const type = each.mode === "data" ? `data.${each.type}` : String(each.type);
      return {
        address: String(each.address),
        type,
        values,
        sensitive: new Set(sensitive.flatMap(([name, marks]) => (isMarked(marks, 0) ? [name] : []))),
        path: [...path, "resources", index],
        within: "values",
      };
    });
  const below = toObjects(module.child_modules).flatMap((each, index) =>
    readShown(each, [...path, "child_modules", index]),
  );
  return [...own, ...below];
}

/** True if anything in a value is sensitive: lists and mappings are marked like those of the value, item by item. */
function isMarked(marks: unknown, depth: number): boolean {
  if (typeof marks !== "object" || marks === null) return marks === true;
  return depth > mostDepth || Object.values(marks).some((each) => isMarked(each, depth + 1));
}

function readStored(resource: unknown, index: number): readonly StateResource[] {
  if (!isObject(resource)) return [];
  const { module, mode, type, name } = resource;
  const kind = mode === "data" ? `data.${type}` : String(type);
  const plain = `${module === undefined ? "" : `${module}.`}${kind}.${name}`;
  return toObjects(resource.instances).map((each, at) => ({
    address: each.index_key === undefined ? plain : `${plain}[${JSON.stringify(each.index_key)}]`,
    type: kind,
    values: isObject(each.attributes) ? each.attributes : {},
    // Paths such as `[{ "type": "get_attr", "value": "password" }]`.
    sensitive: new Set(
      toList(each.sensitive_attributes).flatMap((path) => {
        const [first] = toList(path);
        return isObject(first) && typeof first.value === "string" ? first.value : [];
      }),
    ),
    path: ["resources", index, "instances", at],
    within: "attributes",
  }));
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function toObjects(value: unknown): readonly JsonObject[] {
  return toList(value).filter(isObject);
}

/** The attributes with the path of the project or the group itself. */
const pathAttributes = { project: "path_with_namespace", group: "full_path" } as const;

/** The path by ID, as a name, of a project or group in the state. */
function pathById({ type, values }: StateResource): readonly (readonly [id: string, path: string])[] {
  return (["project", "group"] as const).flatMap((owner) => {
    const { id, [pathAttributes[owner]]: path } = values;
    if (type.replace(/^data\./, "") !== `gitlab_${owner}` || typeof path !== "string" || id === undefined) return [];
    return [[ownerName(owner, String(id)), ownerName(owner, path)] as const];
  });
}

/** The project or group of a resource, as in addresses. */
function findOwner({ type, values }: StateResource, paths: ReadonlyMap<string, string>): string | undefined {
  const owner = ownerOfType(type);
  if (owner === "instance") return instanceName;
  const { [pathAttributes[owner]]: own } = values;
  const [stated] = ownerAttributes(type).flatMap((name) => values[name] ?? []);
  if (type === `gitlab_${owner}` && typeof own === "string") return ownerName(owner, own);
  if ((typeof stated !== "string" && typeof stated !== "number") || stated === "") return undefined;
  const name = ownerName(owner, String(stated));
  return paths.get(name) ?? name;
}

/** Null and empty values in a state are unset. */
function toResource(
  { address, type, values, sensitive, path, within }: StateResource,
  places: (path: StateResource["path"]) => Place,
): ProviderResource {
  const set = Object.entries(values).filter(([, value]) => value !== null && value !== "");
  const attributes = set.map(([name, value]): [string, ForeignValue] => [
    name,
    { value, secret: sensitive.has(name), place: () => places([...path, within, name]) },
  ]);
  return { address, type, attributes: new Map(attributes), place: () => places(path) };
}
