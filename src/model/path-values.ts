import { NamesNothing } from "./call.ts";
import type { Endpoint } from "./endpoints.ts";
import { namesInPath } from "./resource-kind.ts";
import { isScalar } from "./values.ts";

/**
 * Values for the path of a call: `id`, fields, and `row.FIELD` from the row as read. @throws NamesNothing if one is
 * missing, because a row lacks the field or no policy declares it.
 */
export function pathValues(
  { method, path }: Endpoint,
  read: (name: string) => unknown,
): Readonly<Record<string, string>> {
  const values = namesInPath(path).map((name) => {
    const value = read(name);
    if (!isScalar(value) || value === null) throw new NamesNothing(`${lack(name)}, which ${method} ${path} needs`);
    return [name, String(value)] as const;
  });
  return Object.fromEntries(values);
}

function lack(name: string): string {
  return name.startsWith("row.") ? `the server's answer has no ${name.slice(4)}` : `no ${name} is declared`;
}
