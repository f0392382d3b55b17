import { printable } from "../base/printable.ts";
import { addressOf } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { kindOf, policyKinds } from "../model/kinds.ts";
import { kindWord, ownerOfName } from "../model/owner.ts";
import type { Desired, DesiredProject, Origin, Place, Value } from "../model/types.ts";
import { isReference, isScalar } from "../model/values.ts";

/** The desired state of a project much as a policy would say it, each entry with the place that it comes from. */
export function showText({ project, resources, exclusive }: DesiredProject, catalogue: Catalogue): string {
  const lines = policyKinds(catalogue, ownerOfName(project.name)).flatMap(({ kind, section, only }) => {
    const entries = resources.filter((resource) => resource.kind === kind);
    const origin = exclusive.get(kind);
    if (entries.length === 0 && !origin) return [];
    const title = origin ? `${section}:  # exclusive: anything else is turned off: ${placeOf(origin)}` : `${section}:`;
    const gone = kindOf(catalogue, kind).removal === "disable" ? "disabled" : "absent";
    const shown: Shown = { ...(only !== undefined && { only }), gone };
    if (entries[0]?.key === "") return entries.flatMap((entry) => entryLines(section, entry, shown));
    return [title, ...entries.flatMap((entry) => entryLines(scalar(entry.key), entry, shown).map(indented))];
  });
  const body = lines.length > 0 ? lines : ["# no policy declares anything here"];
  return `${[`# ${project.name}`, ...body].map(printable).join("\n")}\n`;
}

function indented(line: string): string {
  return `  ${line}`;
}

/** How resources of a kind are shown: the field that stands for all, and what one is that must not be there. */
interface Shown {
  readonly only?: string;
  readonly gone: "disabled" | "absent";
}

/** A resource under its key, or a singleton under its section. */
function entryLines(name: string, resource: Desired, { only, gone }: Shown): readonly string[] {
  const { presence, fields, origin } = resource;
  const line = (text: string) => `${name}:${text}  # ${placeOf(origin)}`;
  if (presence === "absent") return [line(` ${gone}`)];
  if (only !== undefined) return [line(` ${written(fields[only] ?? null)}`)];
  const names = Object.keys(fields).sort();
  if (names.length === 0) return [line(" {}")];
  const places = fieldPlaces(resource);
  const placed = (field: string) => {
    const place = places?.[field] && lineOf(places[field]);
    return place === undefined || place === placeOf(origin) ? "" : `  # ${place}`;
  };
  return [line(""), ...names.map((field) => `  ${field}: ${written(fields[field] ?? null)}${placed(field)}`)];
}

/** Where each field of a singleton comes from, since layers merge it by field; undefined of any other resource. */
function fieldPlaces({ key, fields, origin }: Desired): Readonly<Record<string, Place>> | undefined {
  if (key !== "") return undefined;
  return Object.fromEntries(Object.keys(fields).map((name) => [name, origin.fieldPlace?.(name) ?? origin.place()]));
}

function written(value: Value): string {
  if (isScalar(value)) return scalar(value);
  if (!isReference(value)) return JSON.stringify(value);
  const version = value.version === undefined ? "" : `, version: ${value.version}`;
  return `{ secret: ${scalar(value.secret)}${version} }`;
}

/** Quoted where YAML would read it as something else. */
function scalar(value: string | number | boolean | null): string {
  if (typeof value !== "string") return String(value);
  const isPlain = /^[A-Za-z_/][\w./@:+-]*$/.test(value) && !value.endsWith(":") && !reserved.test(value);
  return isPlain ? value : JSON.stringify(value);
}

const reserved = /^(?:true|false|null|yes|no|on|off)$/i;

function placeOf(origin: Origin): string {
  return lineOf(origin.place());
}

function lineOf({ file, line }: Place): string {
  return `${file}:${line}`;
}

/** The same for scripts: secrets stay references. */
export function showJson({ project, resources, exclusive }: DesiredProject): string {
  const shown = {
    project: project.name,
    resources: resources.map((resource) => {
      const { kind, key, presence, fields, origin } = resource;
      return {
        address: addressOf(project.name, kind, key),
        kind: kindWord(kind),
        key,
        presence,
        fields,
        source: origin.place(),
        field_sources: fieldPlaces(resource),
      };
    }),
    exclusive: [...exclusive].map(([kind, origin]) => ({ kind: kindWord(kind), source: origin.place() })),
  };
  return JSON.stringify(shown, null, 2);
}
