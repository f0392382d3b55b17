import { type Difference, diff } from "../../src/diff/diff.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { identityOf } from "../../src/model/kinds.ts";
import type { Desired, Fields, Kind, Live, Origin, Problem } from "../../src/model/types.ts";

/** What goes into a plan: resources by `kind/key`, as in `test/cases/plan`. */
export interface PlanCase {
  readonly reads: number;
  readonly projects: Readonly<Record<string, CaseProject>>;
  readonly protected?: string;
  readonly problems?: readonly Problem[];
}

export interface CaseProject {
  readonly desired: Readonly<Record<string, Fields | "absent">>;
  readonly live?: Readonly<Record<string, { fields?: Fields; id?: number; updated_at?: string }>>;
  readonly exclusive?: readonly Kind[];
  /** Of the policy that declares it. */
  readonly reason?: string;
  readonly file?: string;
}

function split(name: string): { kind: Kind; key: string } {
  const [kind, ...key] = name.split("/");
  return { kind: kind as Kind, key: key.join("/") };
}

function originAt(line: number, { file = "policies/all.yaml", reason }: Pick<CaseProject, "file" | "reason">): Origin {
  return { place: () => ({ file, line, column: 3 }), ...(reason !== undefined && { reason }) };
}

function desiredOf(written: CaseProject): Desired[] {
  return Object.entries(written.desired).map(([name, fields], index) => {
    const stated =
      fields === "absent" ? ({ presence: "absent", fields: {} } as const) : ({ presence: "present", fields } as const);
    return {
      ...split(name),
      identity: identityOf(catalogueOf(), split(name)),
      ...stated,
      origin: originAt(index + 5, written),
    };
  });
}

function liveOf(written: CaseProject["live"] = {}): Live[] {
  return Object.entries(written).map(([name, { fields = {}, id, updated_at: updatedAt }]) => ({
    ...split(name),
    fields,
    active: true,
    ...(id !== undefined && { id }),
    ...(updatedAt && { updatedAt }),
  }));
}

/** What a project of a case comes to. */
export function differenceOf([name, written]: [string, CaseProject]): Difference {
  const { live, exclusive = [] } = written;
  const resources = desiredOf(written);
  const project = {
    project: { name },
    resources,
    kinds: new Set(resources.map(({ kind }) => kind)),
    exclusive: new Map(exclusive.map((kind) => [kind, originAt(20, written)])),
  };
  return diff(project, liveOf(live), { alwaysSend: false, resend: () => false, target: () => true });
}
