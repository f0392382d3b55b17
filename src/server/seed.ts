import type { Problem } from "../model/types.ts";
import { parseChecked } from "./checked-yaml.ts";
import { seedProblems } from "./seed-problems.ts";
import { seedSchema } from "./seed-schema.ts";
import type { MergeRequest, Role } from "./state.ts";

/** What a server starts with (contract 9). */
export interface Seed {
  readonly projects?: readonly SeedProject[];
  /** Names of storages beside those seen on a project; one that is a cluster says so. */
  readonly storages?: readonly (string | { readonly name: string; readonly cluster?: boolean })[];
  readonly snippets?: readonly SeedRepository[];
  readonly groups?: readonly SeedRepository[];
  readonly tokens?: readonly { readonly token: string; readonly role: Role }[];
  readonly features?: Readonly<Record<string, boolean>>;
  /** Milliseconds that a storage move takes. */
  readonly move_duration?: number;
}

export interface SeedRepository {
  readonly id?: number;
  readonly path?: string;
  readonly name?: string;
  readonly repository_storage?: string;
  /** How many of its next storage moves fail. */
  readonly fail_moves?: number;
  /** Its old copy cannot be removed: its moves end as `cleanup failed`. */
  readonly leave_copy?: boolean;
}

export interface SeedProject extends SeedRepository {
  readonly path: string;
  readonly default_branch?: string;
  /** `none`: its requests are forbidden. */
  readonly access?: "full" | "none";
  /** False: as if it did not exist. */
  readonly visible?: boolean;
  /** As the server is to answer them: any scalar, also one that a PUT would refuse. `active` defaults as in a PUT. */
  readonly integrations?: Readonly<Record<string, Readonly<Record<string, string | number | boolean | null>> | null>>;
  readonly licenses?: Readonly<Record<string, string>>;
  readonly deployments?: readonly SeedDeployment[];
  /** Shipped with the deployments of `deployment_id` or `deployment_ids`; with all where neither is given. */
  readonly merge_requests?: readonly MergeRequest[];
}

export interface SeedDeployment {
  readonly id?: number;
  readonly iid?: number;
  readonly ref?: string;
  readonly sha?: string;
  readonly tag?: boolean;
  readonly status?: string;
  readonly created_at?: string;
  readonly updated_at?: string;
  readonly environment?: string | { readonly id?: number; readonly name: string; readonly external_url?: string };
  readonly user?: Readonly<Record<string, unknown>>;
  /** The job that made it; what is left out is filled in. */
  readonly deployable?: Readonly<Record<string, unknown>> | null;
}

export type ParsedSeed = { readonly seed: Seed } | { readonly problems: readonly Problem[] };

/** Reads a seed from YAML or JSON. Every mistake is a problem with its place in `file`. */
export function parseSeed(text: string, file = "seed"): ParsedSeed {
  const parsed = parseChecked<Seed>(text, file, { rule: "seed", schema: seedSchema, empty: {}, faults: seedProblems });
  return "value" in parsed ? { seed: parsed.value } : parsed;
}
