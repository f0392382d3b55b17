import type { JsonObject } from "../../src/base/json.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { identityOf } from "../../src/model/kinds.ts";
import { kindOfWord, ownerOfName } from "../../src/model/owner.ts";
import type { Desired, Fields, Kind, Live, Origin, Problem } from "../../src/model/types.ts";
import { type Difference, diff } from "../../src/plan/diff/diff.ts";

/** What goes into a plan: resources by `kind/key`, as in `test/cases/plan`. */
export interface PlanCase {
  readonly reads: number;
  readonly projects: Readonly<Record<string, CaseProject>>;
  readonly protected?: string;
  readonly problems?: readonly Problem[];
}

export interface CaseProject {
  readonly desired: Readonly<Record<string, Fields | "absent">>;
  readonly live?: Readonly<Record<string, CaseLive>>;
  readonly exclusive?: readonly string[];
  /** Of the policy that declares it. */
  readonly reason?: string;
  readonly file?: string;
}

interface CaseLive {
  readonly fields?: Fields;
  readonly active?: boolean;
  readonly id?: number;
  readonly updated_at?: string;
  readonly row?: JsonObject;
  readonly returned?: Readonly<Record<string, string>>;
}

function split(project: string, name: string): { kind: Kind; key: string } {
  const [word = "", ...key] = name.split("/");
  return { kind: kindOfWord(ownerOfName(project), word), key: key.join("/") };
}

function originAt(line: number, { file = "policies/all.yaml", reason }: Pick<CaseProject, "file" | "reason">): Origin {
  return { place: () => ({ file, line, column: 3 }), ...(reason !== undefined && { reason }) };
}

export function desiredOf(project: string, written: CaseProject): Desired[] {
  return Object.entries(written.desired).map(([name, fields], index) => {
    const stated =
      fields === "absent" ? ({ presence: "absent", fields: {} } as const) : ({ presence: "present", fields } as const);
    return {
      ...split(project, name),
      identity: identityOf(catalogueOf(), split(project, name)),
      ...stated,
      origin: originAt(index + 5, written),
    };
  });
}

export function liveOf(project: string, written: CaseProject["live"] = {}): Live[] {
  return Object.entries(written).map(([name, { fields = {}, updated_at: updatedAt, ...rest }]) => ({
    ...split(project, name),
    fields,
    active: true,
    ...rest,
    ...(updatedAt && { updatedAt }),
  }));
}

export function differenceOf([name, written]: [string, CaseProject]): Difference {
  const { live, exclusive = [] } = written;
  const resources = desiredOf(name, written);
  const project = {
    project: { name },
    resources,
    kinds: new Set(resources.map(({ kind }) => kind)),
    exclusive: new Map(exclusive.map((word) => [kindOfWord(ownerOfName(name), word), originAt(20, written)])),
  };
  return diff(project, liveOf(name, live), { alwaysSend: false, resend: () => false, target: () => true });
}
