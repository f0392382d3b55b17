import { isObject, type JsonObject } from "../../../../base/json.ts";
import { placesIn } from "../../../../manifest/positions.ts";
import { ownerName, owners } from "../../../../model/owner.ts";
import type { Place, Problem } from "../../../../model/types.ts";
import { type ForeignFile, type ForeignValue, notImported, unusable } from "../foreign.ts";
import type { Declaration, Declarations } from "./configuration.ts";
import { isMapped, ownerOfType } from "./resources.ts";

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

/** Integrations and licenses in a state file or in the output of `terraform show -json`. */
export function declarationsInState(file: ForeignFile): Declarations | Problem {
  const start = { file: file.name, line: 1, column: 1 };
  const state = parsed(file.text);
  if (!isObject(state)) return unusable(start, "expected a state of Terraform in JSON");
  const resources = resourcesIn(state);
  if (typeof resources === "string") return unusable(start, resources);
  const places = placesOf(file);
  const paths = new Map(resources.flatMap(pathById));
  const found = resources.filter(({ type }) => isMapped(type));
  const others = resources.filter(({ type }) => !isMapped(type) && !type.startsWith("data."));
  const ownerless = found.filter((each) => ownerOf(each, paths) === undefined);
  return {
    declarations: found.flatMap((resource) => declarationOf(resource, paths, places)),
    others: others.map(({ type: name, path }) => ({ name, place: () => places(path) })),
    problems: ownerless.map((each) =>
      notImported(places(each.path), `${each.address} is left out: it has no ${ownerOfType(each.type)}`),
    ),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Positions in a larger file take too long to compute. */
const mostPlaced = 4 * 1024 * 1024;

function placesOf({ name, text }: ForeignFile): (path: StateResource["path"]) => Place {
  if (text.length > mostPlaced) return () => ({ file: name, line: 1, column: 1 });
  const places = placesIn({ file: name, text, linesBefore: 0 });
  return (path) => places.place(0, path, "key");
}

function resourcesIn(state: JsonObject): readonly StateResource[] | string {
  if (isObject(state.planned_values))
    return "this is a plan; import the state: terraform show -json without a plan's name";
  if (isObject(state.values))
    return isObject(state.values.root_module) ? shown(state.values.root_module, ["values", "root_module"]) : [];
  if (state.format_version !== undefined) return [];
  if (state.version === 4 && Array.isArray(state.resources)) return state.resources.flatMap(stored);
  return "expected a state of version 4, or what terraform show -json prints of it";
}

const mostDepth = 50;

function shown(module: JsonObject, path: readonly (string | number)[]): readonly StateResource[] {
  if (path.length > mostDepth) return [];
  const own = listIn(module.resources).map((each, index): StateResource => {
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
  const below = listIn(module.child_modules).flatMap((each, index) => shown(each, [...path, "child_modules", index]));
  return [...own, ...below];
}

/** Whether anything in a value is sensitive: lists and mappings are marked like those of the value, item by item. */
function isMarked(marks: unknown, depth: number): boolean {
  if (typeof marks !== "object" || marks === null) return marks === true;
  return depth > mostDepth || Object.values(marks).some((each) => isMarked(each, depth + 1));
}

function stored(resource: unknown, index: number): readonly StateResource[] {
  if (!isObject(resource)) return [];
  const { module, mode, type, name } = resource;
  const kind = mode === "data" ? `data.${type}` : String(type);
  const plain = `${module === undefined ? "" : `${module}.`}${kind}.${name}`;
  return listIn(resource.instances).map((each, at) => ({
    address: each.index_key === undefined ? plain : `${plain}[${JSON.stringify(each.index_key)}]`,
    type: kind,
    values: isObject(each.attributes) ? each.attributes : {},
    sensitive: new Set(listOf(each.sensitive_attributes).flatMap(attributeIn)),
    path: ["resources", index, "instances", at],
    within: "attributes",
  }));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function listIn(value: unknown): readonly JsonObject[] {
  return listOf(value).filter(isObject);
}

/** The attribute of a path such as `[{ "type": "get_attr", "value": "password" }]`. */
function attributeIn(path: unknown): readonly string[] {
  const [first] = listOf(path);
  return isObject(first) && typeof first.value === "string" ? [first.value] : [];
}

/** The attributes with the path of a project and of a group, in the resources that are one. */
const itself = {
  project: { type: "gitlab_project", path: "path_with_namespace" },
  group: { type: "gitlab_group", path: "full_path" },
} as const;

/** The path of a project or a group by its ID as a name, if the state contains it. */
function pathById({ type, values }: StateResource): readonly (readonly [id: string, path: string])[] {
  return owners.flatMap((owner) => {
    const { id, [itself[owner].path]: path } = values;
    if (type.replace(/^data\./, "") !== itself[owner].type || typeof path !== "string" || id === undefined) return [];
    return [[ownerName(owner, String(id)), ownerName(owner, path)] as const];
  });
}

/** The project or the group of a resource, as addresses name it. */
function ownerOf({ type, values }: StateResource, paths: ReadonlyMap<string, string>): string | undefined {
  const owner = ownerOfType(type);
  const { [itself[owner].path]: own, [owner]: stated } = values;
  if (type === itself[owner].type && typeof own === "string") return ownerName(owner, own);
  if ((typeof stated !== "string" && typeof stated !== "number") || stated === "") return undefined;
  const name = ownerName(owner, String(stated));
  return paths.get(name) ?? name;
}

/** Null and empty values in a state are unset. */
function declarationOf(
  resource: StateResource,
  paths: ReadonlyMap<string, string>,
  places: (path: StateResource["path"]) => Place,
): readonly Declaration[] {
  const { address, type, values, sensitive, path, within } = resource;
  const project = ownerOf(resource, paths);
  if (project === undefined) return [];
  const set = Object.entries(values).filter(([, value]) => value !== null && value !== "");
  const attributes = set.map(([name, value]): [string, ForeignValue] => [
    name,
    { value, secret: sensitive.has(name), place: () => places([...path, within, name]) },
  ]);
  return [{ project, resource: { address, type, attributes: new Map(attributes), place: () => places(path) } }];
}
