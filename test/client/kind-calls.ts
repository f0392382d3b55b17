import { bundledKinds } from "../../src/model/bundled-kinds.ts";
import type { Endpoint } from "../../src/model/endpoints.ts";

function callsOf(kind: string): { readonly list: Endpoint; readonly show: Endpoint; readonly update: Endpoint } {
  const { read, calls: { update } = {} } = bundledKinds[kind] ?? {};
  if (!read || typeof update !== "object") throw new Error(`${kind} has no list or no update`);
  const show: Endpoint = read.single ?? { method: "GET", path: update.path, answer: update.answer };
  return { list: read.list, show, update };
}

export const licenseCalls = callsOf("license");
export const integrationCalls = callsOf("integration");
