import { readInteger } from "./parameters.ts";
import { invalid, json, type ServerReply } from "./reply.ts";
import type { ServerContext, ServerRequest } from "./server-context.ts";

/** A page of a list, with the headers that link to the others. Beyond the last page it is empty. */
export function paged<T>(
  context: ServerContext,
  call: ServerRequest,
  records: readonly T[],
  row: (record: T) => unknown,
): ServerReply {
  const page = readPage(call.query.page, 1);
  const wanted = readPage(call.query.per_page, context.pageSize);
  if (page === undefined || wanted === undefined)
    return invalid([page === undefined ? [fault("page")] : [], wanted === undefined ? [fault("per_page")] : []].flat());
  const size = Math.min(wanted, context.maxPageSize);
  const shown = records.slice((page - 1) * size, page * size).map(row);
  return json(200, shown, pageHeaders(call, { page, size, total: records.length }, context.behaviour.totalsUpTo));
}

/** A page of rows sorted by ID, with a link to the next page and no total. */
export function keysetPaged<T extends { readonly id: number }>(
  context: ServerContext,
  call: ServerRequest,
  records: readonly T[],
  row: (record: T) => unknown,
): ServerReply {
  const wanted = readPage(call.query.per_page, context.pageSize);
  if (wanted === undefined) return invalid([fault("per_page")]);
  const size = Math.min(wanted, context.maxPageSize);
  const shown = records.slice(0, size);
  const last = shown.at(-1);
  const bound = call.query.sort === "desc" ? "id_before" : "id_after";
  const more = last && records.length > size;
  const next = more && extendAddress(call, { [bound]: String(last.id), per_page: String(size) });
  return json(200, shown.map(row), next ? { link: `<${next}>; rel="next"` } : {});
}

function fault(name: string): string {
  return `${name} does not have a valid value`;
}

function readPage(written: unknown, otherwise: number): number | undefined {
  if (written === undefined || written === "") return otherwise;
  const number = readInteger(written);
  return number !== undefined && number > 0 ? number : undefined;
}

interface Position {
  readonly page: number;
  readonly size: number;
  readonly total: number;
}

function pageHeaders(call: ServerRequest, { page, size, total }: Position, totalsUpTo: number): Record<string, string> {
  const last = Math.max(1, Math.ceil(total / size));
  const next = page < last ? page + 1 : undefined;
  const previous = page > 1 ? page - 1 : undefined;
  const saysTotal = total <= totalsUpTo;
  const addressOf = (to: number) => extendAddress(call, { page: String(to), per_page: String(size) });
  const relations = { prev: previous, next, first: 1, last: saysTotal ? last : undefined };
  return {
    "x-page": String(page),
    "x-per-page": String(size),
    "x-next-page": String(next ?? ""),
    "x-prev-page": String(previous ?? ""),
    ...(saysTotal && { "x-total": String(total), "x-total-pages": String(last) }),
    link: Object.entries(relations)
      .flatMap(([relation, to]) => (to === undefined ? [] : [`<${addressOf(to)}>; rel="${relation}"`]))
      .join(", "),
  };
}

function extendAddress({ address, search }: ServerRequest, more: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  return `${address}?${query}`;
}
