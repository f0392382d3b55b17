import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addressMatcher } from "../../src/model/address.ts";
import { legacyStatuses } from "../../src/model/license-status.ts";
import type { Fields } from "../../src/model/types.ts";
import { type Expected, expectedOf } from "./expected.ts";
import { type Fleet, fleet } from "./fleet.ts";
import { law, onStage, withoutPauses } from "./stage.ts";
import type { Seen } from "./wire.ts";

withoutPauses();

interface Target {
  readonly project: Expected | undefined;
  readonly kind: "integration" | "license" | "other";
  readonly key: string;
}

function targetOf({ path }: Seen, expected: readonly Expected[]): Target {
  const [, project = "", list = "", key = ""] = path.replace("/api/v4/", "").split("/").map(decodeURIComponent);
  const found = expected.find(
    ({ id, path: own }) => project === String(id) || project.toLowerCase() === own.toLowerCase(),
  );
  const kinds = { integrations: "integration", services: "integration", managed_licenses: "license" } as const;
  return { project: found, kind: kinds[list as keyof typeof kinds] ?? "other", key };
}

describe.each(["spec", "observed"] as const)("behaviour %s", (behaviour) => {
  test("nothing undeclared is ever written", async () => {
    await law(5, [fleet()], async (generated) => {
      await onStage(generated, { behaviour }, async (stage) => {
        const expected = expectedOf(generated);
        await stage.apply();
        for (const seen of stage.wire.writes) checkWrite(seen, targetOf(seen, expected));
      });
    });
  });

  test("plan and rehearsal send GET alone, and leave nothing in the folder but the list of projects", async () => {
    await law(5, [fleet(), fc.boolean()], async (generated, ledger) => {
      await onStage(generated, { behaviour, ledger }, async (stage) => {
        await stage.plan();
        const { requests = [], plan } = await stage.rehearse();
        expect([stage.wire.writes, stage.server.requests.writes]).toEqual([[], 0]);
        expect(requests.length).toBe(plan.summary.writes);
        const left = [...stage.written().keys()].filter((name) => ![".gitignore", "projects.txt"].includes(name));
        expect(left).toEqual([]);
      });
    });
  });

  test("a protected thing is never disabled or deleted, and the whole plan waits", async () => {
    const globs = fc.constantFrom("*:integration/*", "*:license/*", "payments/**", "**:license/M*", "*:integration/c*");
    await law(5, [fleet(), globs], async (generated, glob) => {
      await onStage(generated, { behaviour, protected: [glob] }, async (stage) => {
        const { plan, refused = [] } = await stage.apply();
        const isProtected = underEachName(addressMatcher(glob), generated);
        const removals = plan.resource_changes.filter(
          ({ change: { actions, before, after } }) =>
            ["disable", "delete"].includes(actions[0]) || (isOn(before) && isDeclaredOff(after)),
        );
        const touched = removals.filter(({ address }) => isProtected(address)).map(({ address }) => address);
        expect(refused.flatMap(({ addresses }) => addresses).sort()).toEqual(touched.sort());
        if (touched.length > 0) expect(stage.wire.writes).toEqual([]);
        for (const { method, path } of stage.wire.writes) {
          const removal = plan.resource_changes.find(({ call }) => method === "DELETE" && path.endsWith(call.path));
          expect(removal && isProtected(removal.address)).not.toBe(true);
        }
      });
    });
  });
});

/** An update that turns something off counts as a removal (docs/safety.md). */
function isOn(before: Fields | null): boolean {
  return ["true", "1"].includes(String(before?.active));
}

function isDeclaredOff(after: Fields | null): boolean {
  return ["false", "0", ""].includes(String(after?.active ?? "undeclared"));
}

/** A project is one project under its ID and under its path (docs/running.md). */
function underEachName(matches: (address: string) => boolean, { projects }: Fleet): (address: string) => boolean {
  return (address) => {
    const [name = "", rest] = [address.slice(0, address.indexOf(":")), address.slice(address.indexOf(":"))];
    const known = projects.find(({ id, path }) => [String(id), path.toLowerCase()].includes(name.toLowerCase()));
    return [name, String(known?.id), known?.path ?? name].some((each) => matches(`${each}${rest}`));
  };
}

function checkWrite({ method, path, body }: Seen, { project, kind, key }: Target): void {
  const write = { method, path, body };
  expect({ write, project }).not.toEqual({ write, project: undefined });
  if (!project) return;
  if (kind === "integration") checkIntegration(method, body, project, key);
  else checkLicense({ method, path, body }, kind, project);
}

function checkLicense(write: Seen, kind: string, project: Expected): void {
  const { method, body } = write;
  expect({ write, kind }).toEqual({ write, kind: "license" });
  const declared = [...project.licenses.values()];
  // Servers of 13.x take the older words alone.
  const status = legacyStatuses.get(String(body.approval_status)) ?? body.approval_status;
  if (method === "POST") {
    expect(declared).toContainEqual({ name: body.name, status });
    expect(Object.keys(body).sort()).toEqual(["approval_status", "name"]);
  }
  if (method === "PATCH") expect(declared.map((each) => each.status)).toContain(status);
  if (method === "PATCH") expect(Object.keys(body)).toEqual(["approval_status"]);
  if (method === "DELETE") expect([...project.exclusive]).toContain("licenses");
  expect(["POST", "PATCH", "DELETE"]).toContain(method);
}

function checkIntegration(
  method: string,
  body: Seen["body"],
  { integrations, exclusive }: Expected,
  slug: string,
): void {
  const declared = integrations.get(slug);
  if (method === "DELETE") {
    expect({ slug, declared }).toEqual({ slug, declared: undefined });
    expect(integrations.has(slug) || exclusive.has("integrations")).toBe(true);
    return;
  }
  expect(method).toBe("PUT");
  const fields = Object.entries(declared ?? {}).map(([name, value]) => [name, String(value)]);
  expect(caseless(body)).toEqual(caseless(Object.fromEntries(fields)));
}

/** Where no look-up is needed, `${project.path}` has the spelling of the manifest, in which case does not count. */
function caseless(fields: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(fields).sort()).toLowerCase();
}
