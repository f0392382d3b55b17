import type { JsonObject } from "../base/json.ts";
import { changedRow, createdRow } from "./kind-rows.ts";
import { addRow, type RowPlace } from "./kind-store.ts";
import type { OwnerKind, ServedKinds } from "./kinds.ts";
import type { Seed, SeedRows } from "./seed.ts";
import { findGroup, findProject, type State } from "./state.ts";

/** Loads the rows of a seed. What the release or the tier does not have is left out. */
export function loadRows(state: State, seed: Seed, kinds: ServedKinds): void {
  for (const { id, path, resources } of seed.groups ?? []) {
    const group = findGroup(state, String(id ?? path));
    if (group) loadOwner(state, { of: "group", id: group.id, resources, kinds });
  }
  for (const { path, resources } of seed.projects ?? []) {
    const project = state.projectsByPath.get(path.toLowerCase()) ?? findProject(state, path);
    if (project) loadOwner(state, { of: "project", id: project.record.id, resources, kinds });
  }
}

interface Seeded {
  readonly of: OwnerKind;
  readonly id: number;
  readonly resources: SeedRows | undefined;
  readonly kinds: ServedKinds;
}

function loadOwner(state: State, { of, id, resources = {}, kinds }: Seeded): void {
  for (const [name, rows] of Object.entries(resources)) {
    const kind = kinds.all.find((each) => each.file.name === name && each.of === of);
    if (kind) for (const row of [rows].flat()) loadRow(state, { kind, owner: id }, row as JsonObject);
  }
}

/** Parameters make the row, and its other parts are as the seed has them. */
function loadRow(state: State, place: RowPlace, seeded: JsonObject): void {
  const { kind } = place;
  const known = new Set(kind.fields.flatMap(({ parameters }) => parameters));
  const params = Object.fromEntries(Object.entries(seeded).filter(([name]) => known.has(name)));
  const made = createdRow(kind.fields, { params, others: [] });
  const told = kind.isOwner ? changedRow(kind.fields, { params, row: {}, others: [] }) : {};
  const beside = Object.entries(seeded).filter(([name]) => name in made || !known.has(name));
  addRow(state, place, params, { ...told, ...Object.fromEntries(beside) });
}
