import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wavesIn } from "../../src/manifest/waves.ts";
import { legacyStatuses } from "../../src/model/license-status.ts";
import type { Request } from "../../src/run/request.ts";
import { expectedOf } from "./expected.ts";
import { fleet } from "./fleet.ts";
import { changesOf, inSync, law, onStage, withoutPauses } from "./stage.ts";
import type { Seen, Wire } from "./wire.ts";

withoutPauses();

const lists = fc.constantFrom("1,2,3", "50%", "1,25%,75%", "100%", "1,2,3,4,5,6");

function staged(list: string): Pick<Request, "waves"> {
  const read = wavesIn(list);
  if ("fault" in read) throw new Error(read.fault);
  return read;
}

/** In today's words: a server of 13.x refuses those of licenses, until one write has shown that it does. */
const written = ({ writes }: Wire) => [...new Set(writes.map(inTodaysWords))].sort();

function inTodaysWords({ method, path, body }: Seen): string {
  const { approval_status: status = "" } = body;
  return JSON.stringify([
    method,
    path,
    { ...body, ...(status && { approval_status: legacyStatuses.get(status) ?? status }) },
  ]);
}

describe.each(["spec", "observed"] as const)("behaviour %s", (behaviour) => {
  const keepable = behaviour === "observed";

  test("waves change the order of writes and nothing else", async () => {
    await law(4, [fleet({ keepable }), lists], async (generated, list) => {
      const plain = await onStage(generated, { behaviour }, async (stage) => {
        await stage.apply();
        return written(stage.wire);
      });
      await onStage(generated, { behaviour }, async (stage) => {
        const { waves = [] } = await stage.apply(staged(list));
        expect(waves.filter(({ status }) => status !== "applied")).toEqual([]);
        expect(written(stage.wire)).toEqual(plain);
        expect(changesOf(await stage.plan())).toEqual(inSync);
      });
    });
  });

  test("a failure leaves all projects of later waves untouched, and the same apply goes on", async () => {
    await law(
      6,
      [fleet({ keepable }), fc.constantFrom("1,2,3", "1,50%"), fc.nat(3)],
      async (generated, list, failing) => {
        await onStage(generated, { behaviour }, async (stage) => {
          let count = 0;
          stage.wire.fate = ({ method }) =>
            method !== "GET" && count++ === failing ? { status: 400, actsAfter: undefined } : "pass";
          const { waves = [], outcomes = new Map() } = await stage.apply(staged(list));
          const failed = [...outcomes.values()].some(({ status }) => status === "failed");
          const later = new Set(
            waves.filter(({ status }) => status === "not started").flatMap(({ projects }) => projects),
          );
          const statuses = waves.map(({ status }) => status).join();
          expect(statuses).toMatch(failed ? /^(applied,)*stopped(,not started)*$/ : /^(applied(,|$))*$/);
          const projects = expectedOf(generated);
          const nameOf = ({ path }: Seen) => {
            const [, segment = ""] = /\/projects\/([^/?]+)/.exec(path) ?? [];
            const named = decodeURIComponent(segment).toLowerCase();
            return projects.flatMap((each) => {
              return named === String(each.id) || named === each.path.toLowerCase() ? [each.path, String(each.id)] : [];
            });
          };
          for (const seen of stage.wire.writes) expect(nameOf(seen).filter((name) => later.has(name))).toEqual([]);
          stage.wire.reset();
          await stage.apply(staged(list));
          expect(changesOf(await stage.plan())).toEqual(inSync);
        });
      },
    );
  });
});
