import { Ajv } from "ajv";
import fc from "fast-check";
import type { FieldSchema, KindFile } from "../kinds/kinds.ts";

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type Mapping = { readonly [name: string]: Json };

/** Secrets that masked variables may have: one line, without spaces. */
export const kindCanary = "CANARY-9c1e";
export const kindSecrets = {
  KIND_A: `${kindCanary}-first-secret`,
  KIND_B: `${kindCanary}-second-secret`,
} as const;

/** Whom look-ups find on the server, by their IDs. */
export const people = { 51: "anna", 52: "ben", 53: "carla" } as const;
export const circles = { 61: "payments", 62: "security" } as const;

/** Texts that servers take, by the field that needs others than any. */
const texts: Readonly<Record<string, readonly string[]>> = {
  "system_hooks.url": ["https://hooks.example.com/a", "https://hooks.example.com/b", "http://ci.example.com:8080/c"],
  "webhooks.url": ["https://hooks.example.com/a", "https://hooks.example.com/b?x=1", "http://ci.example.com:8080/c"],
  "badges.link_url": ["https://ci.example.com/%{project_path}", "https://ci.example.com"],
  "badges.image_url": ["https://ci.example.com/a.svg", "https://ci.example.com/b.svg"],
  "protected_branches.name": ["main", "release/*", "fix y"],
  "protected_tags.name": ["v*", "1.0"],
  "protected_environments.name": ["production", "review/app-1"],
  "variables.key": ["DEPLOY", "A_1"],
  "variables.environment_scope": ["*", "production", "review/*"],
  "external_status_checks.external_url": ["https://checks.example.com/a", "https://checks.example.com/b"],
  "freeze_periods.freeze_start": ["0 23 * * 5", "0 12 24 12 *"],
  "freeze_periods.freeze_end": ["0 7 * * 1", "30 8 2 1 *"],
  "freeze_periods.cron_timezone": ["UTC", "Europe/Berlin"],
  "labels.color": ["#d9534f", "#CC0000"],
  "pipeline_schedules.cron": ["0 1 * * *", "30 4 * * 1-5"],
  "pipeline_schedules.ref": ["main", "refs/tags/v1"],
  "deploy_keys.key": ["ssh-ed25519 AAAA1", "ssh-ed25519 AAAA2"],
  "deploy_keys.expires_at": ["2030-01-31T00:00:00Z", "2031-01-31T12:00:00.000Z"],
  "settings.repository_storage": ["default"],
  "settings.default_branch": ["main", "trunk"],
  "milestones.start_date": ["2027-01-31", "2027-02-28"],
  "milestones.due_date": ["2027-03-31", "2027-04-30"],
  "members.username": ["anna", "ben", "carla"],
  "members.expires_at": ["2027-03-31", "2027-04-30"],
  "shared_groups.group": ["payments", "security"],
  "shared_groups.expires_at": ["2027-03-31", "2027-04-30"],
  "job_token_projects.project": ["payments/web", "solo/x"],
  "job_token_groups.group": ["payments", "security"],
  "push_mirrors.url": ["https://code.example.com/a.git", "https://code.example.com/b.git"],
  "pull_mirror.url": ["https://code.example.com/a.git", "https://code.example.com/b.git"],
  "environments.name": ["production", "review/a", "it's #1"],
  "environments.external_url": ["https://a.example.com", "https://b.example.com/x"],
  "pages_domains.domain": ["a.example.com", "b.example.com"],
  "projects.path": ["api", "Web", "new.one"],
  "subgroups.path": ["team-a", "Team_b"],
  "groups.path": ["payments", "fresh", "Other.group"],
};

export const words = ["a", "ü – ß", "true", "007", "it's #1", "a: b"];

/** Fields that need something that is not generated here. */
const omitted: ReadonlySet<string> = new Set([
  "approval_rules.report_type",
  "approval_rules.protected_branches",
  "external_status_checks.protected_branches",
]);

const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, logger: false });

/** What a policy's section says of a kind: some resources of it, or a singleton. */
export function declaredSection(kind: KindFile): fc.Arbitrary<Mapping> {
  const keys = [kind.key ?? []].flat();
  if (keys.length === 0) return fieldsOf(kind, []);
  const entry = fc.record({ key: keyText(kind, keys), fields: fieldsOf(kind, keys) });
  return fc
    .uniqueArray(entry, { minLength: 0, maxLength: 3, selector: ({ key }) => key })
    .map((entries) => Object.fromEntries(entries.map(({ key, fields }) => [key, fitting(kind, key, fields)])));
}

function keyText(kind: KindFile, keys: readonly string[]): fc.Arbitrary<string> {
  return fc.tuple(...keys.map((name) => fc.constantFrom(...textsOf(kind, name)))).map((parts) => {
    const last = kind.fields.properties[keys.at(-1) ?? ""]?.default;
    return (parts.length > 1 && parts.at(-1) === last ? parts.slice(0, -1) : parts).join("@");
  });
}

function textsOf(kind: KindFile, name: string): readonly string[] {
  const allowed = kind.fields.properties[name]?.enum as readonly string[] | undefined;
  return allowed ?? texts[`${kind.name}.${name}`] ?? words;
}

function fieldsOf(kind: KindFile, keys: readonly string[]): fc.Arbitrary<Mapping> {
  const { properties, required = [] } = kind.fields;
  const names = Object.keys(properties).filter(
    (name) => !keys.includes(name) && !omitted.has(`${kind.name}.${name}`) && !properties[name]?.["x-removed"],
  );
  const needed = names.filter((name) => required.includes(name));
  const others = names.filter((name) => !required.includes(name));
  const most = Math.min(others.length, 6);
  const least = needed.length + keys.length > 0 ? 0 : 1;
  return fc
    .shuffledSubarray(others, { minLength: least, maxLength: most })
    .chain((chosen) =>
      fc.record(
        Object.fromEntries([...needed, ...chosen].map((name) => [name, fieldValue(kind, name, properties[name])])),
      ),
    )
    .filter(togetherIn(kind)) as fc.Arbitrary<Mapping>;
}

const together: ReadonlySet<string> = new Set(["not", "anyOf", "dependencies", "if"]);

/** Whether a kind's resource may have these fields beside each other. */
export function togetherIn(kind: KindFile): (fields: unknown) => boolean {
  const check = ajv.compile({ ...kind.fields, required: [] });
  return (fields) => check(fields) || !check.errors?.some(({ keyword }) => together.has(keyword));
}

/** What servers keep only together. */
function fitting({ name }: KindFile, key: string, fields: Mapping): Mapping {
  if (name.endsWith("variables") && fields.hidden === true) {
    const { masked: _, ...others } = fields;
    return others;
  }
  if (name === "deploy_keys")
    return { ...fields, key: `ssh-ed25519 AAAA${Buffer.from(`${key}${fields.key}`).toString("hex")}` };
  if (name === "approval_rules") return { ...fields, users: [51], rule_type: "regular" };
  return fields;
}

function fieldValue(kind: KindFile, name: string, field: FieldSchema = {}): fc.Arbitrary<Json> {
  const known = texts[`${kind.name}.${name}`];
  return known ? fc.constantFrom(...known) : anyOf(field);
}

const lookUps: readonly (readonly [start: string, found: Readonly<Record<number, string>>])[] = [
  ["GET /users?", people],
  ["GET /groups/", circles],
];

function anyOf(field: FieldSchema): fc.Arbitrary<Json> {
  const { enum: allowed, "x-words": spelled = {}, "x-lookup": lookUp = "" } = field;
  if (field.writeOnly) return fc.constantFrom(...Object.keys(kindSecrets)).map((name) => ({ secret: `env:${name}` }));
  const found = lookUps.find(([start]) => lookUp.startsWith(start))?.[1];
  if (found) return fc.constantFrom(...Object.keys(found).map(Number));
  const numbers = Object.entries(spelled).flatMap(([word, value]) => (typeof value === "number" ? [word] : []));
  if (allowed) return fc.constantFrom(...([...allowed, ...numbers] as Json[]));
  const types = [field.type ?? "string"].flat();
  return fc.oneof(...types.map((type) => byType[type]?.(field) ?? fc.constant(null)));
}

const byType: Readonly<Record<string, (field: FieldSchema & Bounds) => fc.Arbitrary<Json>>> = {
  boolean: () => fc.boolean(),
  integer: ({ minimum = 0, maximum = minimum + 1000 }) => fc.integer({ min: minimum, max: maximum }),
  number: () => fc.constantFrom(0.5, 2),
  string: ({ minLength = 0, pattern = "" }) =>
    fc.constantFrom(
      ...[...words, "DEPLOY", "A_1", ...(minLength > 0 ? [] : [""])].filter((text) => new RegExp(pattern).test(text)),
    ),
  array: ({ items = {}, minItems = 0 }) =>
    fc.uniqueArray(items.properties ? itemOf(items) : anyOf(items), {
      minLength: minItems,
      maxLength: 3,
      selector: whose,
    }),
  object: ({ properties = {} }) =>
    fc
      .shuffledSubarray(Object.keys(properties), { minLength: 1 })
      .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, anyOf(properties[name] ?? {})])))),
};

interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly maxProperties?: number;
  readonly oneOf?: readonly { readonly required: readonly string[] }[];
}

/** An entry of a list: one of its alternatives, or what it requires. */
function itemOf({ properties = {}, required, oneOf, maxProperties }: FieldSchema & Bounds): fc.Arbitrary<Json> {
  const alternatives = oneOf?.flatMap((each) => each.required) ?? (maxProperties === 1 ? Object.keys(properties) : []);
  const record = (names: readonly string[]) =>
    fc.record(Object.fromEntries(names.map((name) => [name, anyOf(properties[name] ?? {})])));
  if (alternatives.length === 0) return record(required ?? Object.keys(properties));
  return fc.constantFrom(...alternatives).chain((name) => record([name]));
}

/** Entries of one list differ in whom they name. */
function whose(value: Json): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(value);
  const [[name, first] = ["", null]] = Object.entries(value);
  const numbers: Readonly<Record<string, number>> = { "no one": 0, developer: 30, maintainer: 40, admin: 60 };
  return `${name} ${numbers[String(first)] ?? String(first)}`;
}
