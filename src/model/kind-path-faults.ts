import { orElse } from "../base/nearest.ts";
import { isSingleton, namesInPath, type ResourceKind, writtenCall } from "./resource-kind.ts";

/** A mistake in a kind and the keys that lead to it. */
export interface KindFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * Calls that remove what no guard counts, and paths that name no project or group, a field that there is not, or something
 * outside of the API. What rows have beside the fields is not known.
 */
export function pathFaults(kind: ResourceKind): readonly KindFault[] {
  return Object.entries(kind.calls).flatMap(([name, call]): KindFault[] => {
    const { method, path } = writtenCall(call);
    const message = hiddenRemoval(name, method, path) ?? strayPath(path) ?? unknownName(kind, name, namesInPath(path));
    return message === undefined ? [] : [{ path: ["calls", name], message }];
  });
}

/** Guards count what plans call a removal, and what that removes is one resource. */
function hiddenRemoval(name: string, method: string, path: string): string | undefined {
  if (method !== "DELETE") return undefined;
  if (name !== "delete") return `DELETE removes something; expected POST, PUT or PATCH for ${name}`;
  const isOwner = /^\/(?:projects|groups)\/:id(?:\?|$)/.test(path);
  return isOwner ? "it deletes the project or group itself; expected the path of one resource" : undefined;
}

/** URL parsers resolve `.` and `..`, percent-encoded or not, and end a path at `#`. */
function strayPath(path: string): string | undefined {
  if (/^\/api\/v\d+\//.test(path)) return "leave out /api/v4: paths are relative to it";
  const [segments = ""] = path.split("?");
  const isStray =
    path.includes("#") ||
    segments
      .split("/")
      .slice(1)
      .some((part) => /^(?:\.|%2e){0,2}$/i.test(part));
  return isStray ? "expected a path below /api/v4, without #, and without parts that are empty, . or .." : undefined;
}

function unknownName(kind: ResourceKind, call: string, names: readonly string[]): string | undefined {
  const isWhole = call === "list" || (call === "show" && isSingleton(kind));
  const fault = names.find((each) => !each.startsWith("row.") && each !== "id" && !isField(kind, each));
  if (fault !== undefined) return `there is no field ${fault}${orElse(fault, ["id", "row.id", ...fieldNames(kind)])}`;
  const early = (isWhole || call === "create") && names.find((each) => each.startsWith("row."));
  if (early) return `there is no row yet, so the path cannot have :${early}`;
  const field = isWhole && names.find((each) => each !== "id");
  if (field) return `it reads everything of a project or group, so the path cannot have :${field}`;
  return names.includes("id") ? undefined : "the path needs :id, the project or group";
}

function isField({ fields }: ResourceKind, name: string): boolean {
  return Object.hasOwn(fields.properties, name);
}

/** What is said of a name that no field has. */
export function noField(kind: ResourceKind, name: string): string {
  return `there is no field ${name}${orElse(name, fieldNames(kind))}`;
}

function fieldNames({ fields }: ResourceKind): readonly string[] {
  return Object.keys(fields.properties);
}
