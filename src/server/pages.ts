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
  const { page, size, faults } = readPage(context, call);
  if (faults.length > 0) return invalid(faults);
  const shown = records.slice((page - 1) * size, page * size).map(row);
  return json(200, shown, pageHeaders(call, page, size, records.length, context.behaviour.totalsUpTo));
}

/** A page of rows sorted by ID, with a link to the next page and no total. */
export function keysetPaged<T extends { readonly id: number }>(
  context: ServerContext,
  call: ServerRequest,
  records: readonly T[],
  row: (record: T) => unknown,
  sort?: unknown,
): ServerReply {
  const { size, faults } = readPage(context, { query: { per_page: call.query.per_page } });
  if (faults.length > 0) return invalid(faults);
  const shown = records.slice(0, size);
  const last = shown.at(-1);
  const bound = sort === "desc" ? "id_before" : "id_after";
  const more = last && records.length > size;
  const next = more && extendAddress(call, { [bound]: String(last.id), per_page: String(size) });
  return json(200, shown.map(row), next ? { link: `<${next}>; rel="next"` } : {});
}

/** Sorted by a key. Rows with the same key keep their order; `desc` reverses everything. */
export function inOrder<Row>(rows: readonly Row[], keyOf: (row: Row) => string | number, sort?: unknown) {
  const ascending = rows.toSorted((a, b) => Number(keyOf(a) > keyOf(b)) - Number(keyOf(a) < keyOf(b)));
  return sort === "desc" ? ascending.toReversed() : ascending;
}

function readPage({ pageSize, maxPageSize }: ServerContext, { query }: Pick<ServerRequest, "query">) {
  const [page = Number.NaN, size = Number.NaN] = [query.page || 1, query.per_page || pageSize].map(readInteger);
  const isValid = { page: page > 0, per_page: size > 0 };
  const faults = Object.entries(isValid).flatMap(([name, valid]) =>
    valid ? [] : [`${name} does not have a valid value`],
  );
  return { page, size: Math.min(size, maxPageSize), faults };
}

function pageHeaders(call: ServerRequest, page: number, size: number, total: number, totalsUpTo: number) {
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
