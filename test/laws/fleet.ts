import fc from "fast-check";
import { missingField } from "../../src/manifest/field-availability.ts";
import { unavailable } from "../../src/model/availability.ts";
import { catalogueOf, type Integration } from "../../src/model/catalogue.ts";
import type { ResourceKind } from "../../src/model/resource-kind.ts";
import type { Platform } from "../../src/model/types.ts";
import type { Seed, SeedProject } from "../../src/server/seed.ts";
import { liveValue, type Written, writtenValue } from "./values.ts";

/** A policy as it is written; each has a priority of its own, so that none tie. */
export interface WrittenPolicy {
  readonly name: string;
  readonly projects: readonly (string | number)[];
  readonly except?: readonly (string | number)[];
  readonly priority: number;
  readonly enforce: boolean;
  readonly vars: Readonly<Record<string, string | boolean>>;
  readonly integrations: Readonly<Record<string, Readonly<Record<string, Written>>>>;
  readonly disabled: readonly string[];
  readonly licenses: Readonly<Record<string, string>>;
  readonly exclusive: readonly ("integrations" | "licenses")[];
  readonly until?: string;
  readonly reason?: string;
}

/** Manifests and a server for them. */
export interface Fleet {
  readonly platform: Platform;
  readonly projects: readonly { readonly id: number; readonly path: string }[];
  readonly policies: readonly WrittenPolicy[];
  readonly seed: Seed;
  /** Kinds that only the workspace has. */
  readonly kinds?: readonly ResourceKind[];
}

/** What is left out of a fleet, or must be in it. */
export interface FleetOptions {
  /** Only what deployed servers keep: no parameter that they drop, and nothing that is declared to be off. */
  readonly keepable?: boolean;
  readonly exclusive?: boolean;
  /** Whose names manifests and server speak. */
  readonly dialect?: string;
  /** The integrations that it may have; all where left out. */
  readonly only?: (integration: Integration) => boolean;
  /** The server's release; any of the older ones where left out. */
  readonly release?: string;
}

const paths = ["payments/api", "payments/core", "payments/services/Legacy.Site", "platform/web", "Solo-1/app_x"];
const licenseNames = [
  "MIT",
  "AGPL-3.0",
  "GPL/LGPL v2+",
  "1234",
  "Ümlaut Lizenz",
  "50% free & open",
  "a:b",
  "..",
  "__proto__x",
];
const unknownSlugs = ["alerts", "shimo"];

function platform({ dialect, release }: FleetOptions): fc.Arbitrary<Platform> {
  const releases = release ? fc.constant(release) : fc.constantFrom("12.10", "13.5", "14.5", "14.5", "15.0");
  return releases.map((each) => ({
    release: each,
    tier: "ultimate",
    environment: "development",
    ...(dialect && { dialect }),
  }));
}

function slugsFor(where: Platform, { only = () => true }: FleetOptions): Integration[] {
  const { integrations } = catalogueOf(where.dialect);
  return [...integrations.values()].filter((integration) => !unavailable(integration, where) && only(integration));
}

/** Of those that the platform's release has. */
function parametersOf(integration: Integration, where: Platform, { keepable = false }: FleetOptions) {
  const file = { ...integration, singular: integration.slug };
  const all = [...integration.parameters.values()].filter(({ name }) => !missingField(file, name, null, where));
  const needed = all.filter(({ isRequired, observed }) => isRequired || observed.has("required"));
  const isKept = ({ observed, "x-observed-fallback": fallback }: (typeof all)[number]) =>
    !keepable || !(observed.has("dropped") || fallback);
  return { needed, optional: all.filter((parameter) => !needed.includes(parameter) && isKept(parameter)) };
}

function declaration(
  integration: Integration,
  where: Platform,
  options: FleetOptions,
): fc.Arbitrary<Record<string, Written>> {
  const { needed, optional } = parametersOf(integration, where, options);
  const values = Object.fromEntries([...needed, ...optional].map((each) => [each.name, writtenValue(each)]));
  const record = fc.record(values, { requiredKeys: needed.map(({ name }) => name) });
  if (!options.keepable || !integration.parameters.has("active")) return record;
  return record.map((fields) => ({ ...fields, active: true }));
}

const status = (release: string) =>
  Number.parseInt(release, 10) >= 15
    ? fc.constantFrom("allowed", "denied")
    : fc.constantFrom("allowed", "denied", "approved", "blacklisted");

function cased(name: string): fc.Arbitrary<string> {
  return fc.constantFrom(name, name, name.toLowerCase(), name.toUpperCase());
}

const hasLicenses = (release: string) => Number.parseInt(release, 10) < 16;

/** None where the release has none. */
function licenses(release: string): fc.Arbitrary<Record<string, string>> {
  if (!hasLicenses(release)) return fc.constant({});
  const values = status(release);
  const entry = (name: string) => fc.tuple(cased(name), values);
  return fc
    .subarray(licenseNames, { maxLength: 4 })
    .chain((names) => fc.tuple(...names.map(entry)))
    .map((entries) => Object.fromEntries(entries));
}

function selector(projects: Fleet["projects"]): fc.Arbitrary<string | number> {
  const globs = fc.constantFrom("**", "payments/**", "platform/**", "*/*", "Payments/**");
  const one = fc.constantFrom(...projects);
  return fc.oneof(
    one.map(({ id }) => id),
    one.chain(({ path }) => cased(path)),
    globs,
  );
}

function policy(
  fleet: Pick<Fleet, "platform" | "projects">,
  index: number,
  options: FleetOptions,
): fc.Arbitrary<WrittenPolicy> {
  const { platform: where, projects } = fleet;
  const wanted = slugsFor(where, options).filter(({ staysOff }) => !(options.keepable && staysOff));
  const slugs = fc.subarray(wanted, { maxLength: 4 });
  const declared = slugs.chain((chosen) =>
    fc.tuple(...chosen.map((each) => declaration(each, where, options).map((fields) => [each.slug, fields] as const))),
  );
  const exclusive = fc.subarray([
    "integrations",
    ...(hasLicenses(where.release) ? (["licenses"] as const) : []),
  ] as const);
  return fc
    .record({
      projects: fc.array(selector(projects), { minLength: 1, maxLength: 2 }),
      except: fc.option(fc.array(selector(projects), { maxLength: 1 }), { nil: [], freq: 4 }),
      enforce: fc.option(fc.constant(true), { nil: false, freq: 1 }),
      channel: fc.constantFrom("#a", "b of ${project.name}", "$${c}"),
      flag: fc.boolean(),
      declared,
      off: fc.subarray(slugsFor(where, options), { maxLength: 2 }),
      licenses: licenses(where.release),
      exclusive: fc.option(exclusive, { nil: [], freq: options.exclusive === false ? 0 : 2 }),
    })
    .map(({ channel, flag, declared: entries, off, ...rest }) => {
      const own = Object.fromEntries(entries);
      const disabled = off.map(({ slug }) => slug).filter((slug) => !(slug in own));
      const exclusiveOf = options.exclusive === false ? [] : rest.exclusive;
      const name = `policy-${index}`;
      return {
        ...rest,
        name,
        priority: index,
        vars: { channel, flag },
        integrations: own,
        disabled,
        exclusive: exclusiveOf,
      };
    });
}

function liveProject(
  where: Platform,
  project: Fleet["projects"][number],
  options: FleetOptions,
): fc.Arbitrary<SeedProject> {
  const one = (integration: Integration) => {
    const { needed, optional } = parametersOf(integration, where, {});
    const values = Object.fromEntries([...needed, ...optional].map((each) => [each.name, liveValue(each)]));
    const fields = fc.record(values, { requiredKeys: [] });
    return fc.tuple(fields, fc.boolean(), fc.boolean()).map(([settings, active, stated]) => {
      return [integration.slug, stated ? { ...settings, active } : settings] as const;
    });
  };
  const unknown = fc.subarray(unknownSlugs).map((slugs) => slugs.map((slug) => [slug, { x: 1 }] as const));
  return fc
    .record({
      known: fc.subarray(slugsFor(where, options), { maxLength: 5 }).chain((chosen) => fc.tuple(...chosen.map(one))),
      unknown,
      licenses: licenses(where.release),
    })
    .map((live) => ({
      ...project,
      integrations: Object.fromEntries([...live.known, ...live.unknown]) as NonNullable<SeedProject["integrations"]>,
      licenses: live.licenses,
    }));
}

/** Any fleet: a few projects, a few policies that overlap, and live state that has little to do with either. */
export function fleet(options: FleetOptions = {}): fc.Arbitrary<Fleet> {
  return fc
    .record({
      platform: platform(options),
      chosen: fc.subarray(paths, { minLength: 1, maxLength: 3 }),
      count: fc.integer({ min: 1, max: 4 }),
    })
    .chain(({ platform: where, chosen, count }) => {
      const projects = chosen.map((path) => ({ id: 40 + paths.indexOf(path), path }));
      const policies = Array.from({ length: count }, (_, index) =>
        policy({ platform: where, projects }, index, options),
      );
      const live = projects.map((project) => liveProject(where, project, options));
      return fc.tuple(fc.tuple(...policies), fc.tuple(...live)).map(([written, seeded]): Fleet => {
        return { platform: where, projects, policies: written, seed: { projects: seeded } };
      });
    });
}
