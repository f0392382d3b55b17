import { hasActiveParameter, integrations, parameter } from "../model/catalogue.ts";
import { kinds } from "../model/kinds.ts";
import { legacyStatuses } from "../model/normalise.ts";
import type { Desired, Fields, Origin, Problem, Resource, Scalar } from "../model/types.ts";
import type { Document } from "./document.ts";
import { listed } from "./listed.ts";
import { type Declared, declare, type Written } from "./parameters.ts";
import type { PolicyText } from "./policies.ts";
import type { Path } from "./positions.ts";
import type { Workspace } from "./workspace.ts";

/** Where something stands in a policy. */
export interface Stated extends Origin {
  readonly policy: string;
  readonly document: Document;
  readonly path: Path;
}

/** What one policy says of one integration or license: what layers compete for. */
export interface Entry extends Stated {
  /** Entries of one identity compete. */
  readonly identity: string;
  /** What it asks for; the fields named in `templates` are still to be interpolated. */
  readonly desired: Desired;
  readonly templates: readonly string[];
  /** Undefined for what is disabled, and for a license. */
  readonly written: Written | undefined;
}

interface Entries {
  readonly entries: readonly Entry[];
  readonly problems: readonly Problem[];
  readonly plaintext: Declared["plaintext"];
}

type From = { readonly document: Document; readonly policy: string };

/** Everything that a policy says of integrations and licenses. */
export function readEntries(from: From, text: Partial<PolicyText>, workspace: Workspace): Entries {
  const declared = Object.entries(text.integrations ?? {}).flatMap(([slug, parameters]) => {
    const integration = integrations.get(slug);
    if (!integration) return [];
    const written = { document: from.document, path: ["integrations", slug], integration, parameters };
    return [{ written, ...declare(written, workspace) }];
  });
  const present = declared.map((each) => presentEntry(from, each));
  const entries = [...present, ...absentEntries(from, text), ...licenseEntries(from, text)];
  return {
    entries,
    problems: declared.flatMap(({ problems }) => problems),
    plaintext: declared.flatMap(({ plaintext }) => plaintext),
  };
}

function presentEntry(from: From, { written, fields, templates }: Declared & { readonly written: Written }): Entry {
  const { slug } = written.integration;
  const whole = hasActiveParameter(slug) ? { active: defaultOf(slug, "active"), ...fields } : fields;
  return entryOf(from, written.path, { kind: "integration", key: slug, fields: whole }, { templates, written });
}

/** Left out, `active` is its default (contract 6). */
function defaultOf(slug: string, name: string): Scalar {
  return parameter(slug, name)?.default ?? null;
}

function absentEntries(from: From, { disabled }: Partial<PolicyText>): readonly Entry[] {
  const known = listed(disabled).filter(([slug]) => integrations.has(slug));
  return known.map(([key, index]) =>
    entryOf(from, ["disabled", index], { kind: "integration", key, fields: {} }, { presence: "absent" }),
  );
}

function licenseEntries(from: From, { licenses = {} }: Partial<PolicyText>): readonly Entry[] {
  return Object.entries(licenses).map(([key, status]) => {
    const fields: Fields = { approval_status: legacyStatuses.get(status) ?? status };
    return entryOf(from, ["licenses", key], { kind: "license", key: key.trim(), fields });
  });
}

interface Rest {
  readonly presence?: Desired["presence"];
  readonly templates?: readonly string[];
  readonly written?: Written;
}

function entryOf(from: From, path: Path, { kind, key, fields }: Resource, rest: Rest = {}): Entry {
  const { presence = "present", templates = none, written } = rest;
  const origin = stated(from.document, from.policy, path);
  return {
    document: from.document,
    policy: from.policy,
    path,
    place: origin.place,
    identity: `${kind}/${kinds[kind].identity(key)}`,
    desired: { kind, key, fields, presence, origin },
    templates,
    written,
  };
}

const none: readonly string[] = [];

/** Something at a path of a policy: its origin is the key there, or the item of a list. */
export function stated(document: Document, policy: string, path: Path): Stated {
  return { document, policy, path, place: () => document.place(path, "key") };
}
