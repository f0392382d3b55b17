import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readMigrations } from "../../src/manifest/migrations.ts";
import { readKinds } from "../../src/manifest/own-kinds.ts";
import { validate } from "../../src/manifest/validate.ts";
import type { RevisionChange } from "../../src/plan/revision/compare-projects.ts";
import { settingText } from "../../src/plan/revision/notices.ts";
import { compareRevisions, type RevisionSide } from "../../src/plan/revision/revision.ts";
import { shown } from "../../src/report/view.ts";
import { loadWorkspace } from "../../src/workspace/load.ts";
import { folder as folderWith } from "../support/folder.ts";

/** A YAML file in test/cases/revision; see the README there. */
interface Case {
  readonly name: string;
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
  readonly projects?: readonly (string | { readonly id: number; readonly path: string })[];
  readonly expect: {
    readonly changes?: readonly string[];
    readonly notices?: readonly string[];
    readonly settings?: readonly string[];
  };
}

const folder = join(import.meta.dirname, "..", "cases", "revision");

function sideOf(files: Case["before"]): RevisionSide {
  const { root } = folderWith({ "evenkeel.yaml": "apiVersion: evenkeel/v1\nkind: Workspace\n", ...files });
  const loaded = loadWorkspace(root);
  const { policies, plaintext, rules, problems } = validate(loaded, "2026-11-21");
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  const { workspace, settings, documents } = loaded;
  const kinds = readKinds(documents).sound;
  return { workspace, settings, policies, plaintext, rules, kinds, migrations: readMigrations(loaded).migrations };
}

function line({ action, address, before, after, policy_effect, notes = [], source }: RevisionChange): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
  const side = (fields: typeof before, name: string) => (fields?.[name] === undefined ? "-" : shown(fields[name]));
  const fields = names.map((name) => `${name}: ${side(before, name)} -> ${side(after, name)}`).join(", ");
  const words = [action, address, ...(policy_effect ? [policy_effect] : []), `(${source.file}:${source.line})`];
  return [`${words.join(" ")} ${fields}`.trim(), ...notes].join("; ");
}

describe("what a revision wants otherwise", () => {
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".yaml"))) {
    const { name, before, after, projects, expect: wanted }: Case = parse(readFileSync(join(folder, file), "utf8"));
    it(name, () => {
      const [was, is] = [sideOf(before), sideOf(after)];
      const listing = projects?.map((each) =>
        typeof each === "string" ? { name: each, path: each } : { name: each.path, ...each },
      );
      const { changes, notices, settings } = compareRevisions(was, is, listing);
      expect(changes.map(line)).toEqual(wanted.changes ?? []);
      const told = notices.map((notice) => [...(notice.projects ?? []), notice.message].join(" | "));
      expect(told).toEqual(wanted.notices ?? []);
      expect(settings.filter(({ alarm }) => alarm === undefined).map(settingText)).toEqual(wanted.settings ?? []);
    });
  }
});
