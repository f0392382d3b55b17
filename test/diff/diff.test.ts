import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { addressMatcher } from "../../src/model/address.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { policyKinds } from "../../src/model/kinds.ts";
import { kindOfWord, kindWord, ownerOfName } from "../../src/model/owner.ts";
import type { Fields } from "../../src/model/types.ts";
import { diff } from "../../src/plan/diff/diff.ts";
import type { Memory } from "../../src/plan/diff/last-applied.ts";
import type { DiffOptions } from "../../src/plan/diff/options.ts";
import { callOf } from "../../src/plan/requests.ts";
import { type CaseProject, desiredOf, liveOf } from "../plan/case.ts";

/** A golden case: what is declared, what is live, and the changes that it comes to, in order. */
interface Case extends Pick<CaseProject, "desired" | "live" | "exclusive"> {
  readonly name: string;
  /** With a slash at the end, a group. */
  readonly project?: string;
  readonly secrets?: "always-send";
  readonly resend?: string;
  readonly target?: string;
  readonly release?: string;
  readonly changes: readonly string[];
  readonly unmanaged?: number;
  readonly unverified?: readonly string[];
  readonly problems?: readonly string[];
}

const folder = join(import.meta.dirname, "../cases/diff");
const origin = { place: () => ({ file: "policy.yaml", line: 1, column: 1 }) };

function optionsOf({ secrets, resend, target, release }: Case): DiffOptions {
  return {
    alwaysSend: secrets === "always-send",
    ...(release && { release }),
    ...(resend && { resend: addressMatcher(resend) }),
    ...(target && { target: addressMatcher(target) }),
  };
}

function run(written: Case, more: Partial<DiffOptions> = {}) {
  const { project = "team/app" } = written;
  const resources = desiredOf(project, written).map((each) => ({ ...each, origin }));
  const owner = ownerOfName(project);
  const kinds = new Set(policyKinds(catalogueOf(), owner).map(({ kind }) => kind));
  const exclusive = new Map((written.exclusive ?? []).map((word) => [kindOfWord(owner, word), origin] as const));
  const desired = { project: { name: project }, resources, kinds, exclusive };
  return diff(desired, liveOf(project, written.live), { ...optionsOf(written), ...more });
}

/** A resource that the ledger does not know, and one whose `updated_at` moved since it was applied. */
const memories: readonly (Memory | undefined)[] = [undefined, { sent: {}, updated_at: "2026-01-01T00:00:00Z" }];

const compact = (fields: Fields | null) => (fields ? JSON.stringify(fields) : "nothing");

describe("golden cases of the diff", () => {
  for (const file of readdirSync(folder)) {
    for (const written of parse(readFileSync(join(folder, file), "utf8")) as Case[]) {
      test(`${file}: ${written.name}`, () => {
        const found = run(written);
        const lines = found.changes.map((change) => {
          const { method, path } = callOf(change);
          const { action, kind, key, reason } = change;
          return `${action} ${kindWord(kind)}/${key}: ${compact(change.before)} -> ${compact(change.after)} (${reason}) ${method} ${path}`;
        });
        expect(lines).toEqual(written.changes);
        expect(found.unmanaged).toBe(written.unmanaged ?? 0);
        expect(found.unverified.flatMap(({ fields }) => fields)).toEqual(written.unverified ?? []);
        expect(found.problems.map(({ message }) => message)).toEqual(written.problems ?? []);
      });

      test.each(memories)(`${file}: ${written.name}: where no ledger remembers it, nothing else is found`, (memory) => {
        const ledger = { recall: () => memory, fingerprint: () => "as sent" };
        const { settled: _, ...found } = run(written, { ledger });
        const { settled: __, ...unremembered } = run(written, { ledger, settled: false });
        expect(unremembered).toEqual(found);
      });
    }
  }
});
