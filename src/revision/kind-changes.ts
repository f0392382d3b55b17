import equal from "fast-deep-equal";
import type { Document } from "../manifest/document.ts";
import { ownersOf, type ResourceKind, writtenCall } from "../model/resource-kind.ts";
import { dotted, type SettingChange } from "./setting-changes.ts";

/** Kinds of the workspace itself that differ, or that only one revision has: they decide which requests are sent. */
export function changedKinds(before: readonly Document[], after: readonly Document[]): readonly SettingChange[] {
  const [was, is] = [byName(before), byName(after)];
  const names = [...new Set([...was.keys(), ...is.keys()])];
  return names.flatMap((name) => changesOf(was.get(name), is.get(name)));
}

interface OwnKind {
  readonly document: Document;
  readonly kind: ResourceKind;
}

/** Two kinds may share a name, if one is of projects and the other of groups. */
function byName(documents: readonly Document[]): ReadonlyMap<string, OwnKind> {
  return new Map(
    documents.map((document) => {
      const kind = document.value as ResourceKind;
      return [`${kind.name} of ${ownersOf(kind).join(" and ")}`, { document, kind }];
    }),
  );
}

function changesOf(was: OwnKind | undefined, is: OwnKind | undefined): readonly SettingChange[] {
  const either = is ?? was;
  if (!either) return [];
  const setting = `kind ${either.kind.name}`;
  if (!was || !is) {
    const place = either.document.place(["name"], "key");
    return [
      {
        setting,
        before: requestsOf(was),
        after: requestsOf(is),
        place,
        ...(is && { alarm: "policies can send these requests" }),
      },
    ];
  }
  const [earlier, later] = [partsOf(was), partsOf(is)];
  const names = [...new Set([...earlier.keys(), ...later.keys()])];
  return names.flatMap((name): readonly SettingChange[] => {
    const [first, second] = [earlier.get(name), later.get(name)];
    if (equal(first, second)) return [];
    const place = is.document.place(second === undefined ? ["name"] : name.split("."), "key");
    const alarm = requests.test(name) ? "other requests are sent" : "other values may be read, compared or sent";
    return [{ setting: `${setting} ${name}`, before: first, after: second, alarm, place }];
  });
}

const requests = /^calls\.|\.x-lookup$/;

function requestsOf(own: OwnKind | undefined): readonly string[] | undefined {
  return own && Object.values(own.kind.calls).map((call) => Object.values(writtenCall(call)).join(" "));
}

/** What a kind states, by its path, without what people alone read. */
function partsOf({ kind }: OwnKind): ReadonlyMap<string, unknown> {
  return new Map([...dotted(kind)].filter(([name]) => !prose.test(name)));
}

const prose = /(?:^|\.)(?:title|description|sources|notes|deprecationMessage|x-source)$/;
