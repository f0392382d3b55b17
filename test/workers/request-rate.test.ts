import { describe, expect, test } from "vitest";
import { noBar } from "../../src/commands/terminal.ts";
import { follow } from "../../src/commands/workers-progress.ts";
import { ProgressMeter } from "../../src/state/run-progress.ts";
import { RequestRate } from "../../src/workers/worker-monitor.ts";

describe("what members of a fleet send", () => {
  test("counts from the first look on, for those that come later from their start, and for those that go until then", () => {
    const rate = new RequestRate();
    rate.record([["old", 5000]], 0);
    expect([rate.total, rate.perSecond]).toEqual([0, undefined]);
    rate.record(
      [
        ["old", 5040],
        ["new", 60],
      ],
      2000,
    );
    expect([rate.total, rate.perSecond]).toEqual([100, 50]);
    rate.record([["new", 160]], 4000);
    expect([rate.total, rate.perSecond]).toEqual([200, 50]);
  });

  test("has the rate of the last seconds, not of all that went before", () => {
    const rate = new RequestRate();
    for (let second = 0; second <= 60; second++) rate.record([["w", second < 30 ? second * 100 : 3000]], second * 1000);
    expect([rate.total, rate.perSecond]).toEqual([3000, 0]);
  });
});

describe("how far a run is", () => {
  const at = new Date("2026-11-22T10:00:00Z");
  const allowed = { requests: 1800, per: 60_000 };
  const seen = { workers: 3, mostWorkers: 3, requests: 900, perSecond: 29.1, allowed };

  function halfway() {
    const meter = new ProgressMeter();
    meter.begin("reading", 3000, 1000);
    meter.reach(1500);
    meter.see(seen);
    return meter.at(301_000, at);
  }

  test("is told with what is left, and in the words of the limit", () => {
    expect(new ProgressMeter().at(0, at)).toBeUndefined();
    const rate = { used: 1746, allowed: 1800, per: "min" };
    const left = { done: 1500, total: 3000, remaining_seconds: 300 };
    expect(halfway()).toEqual({ at: "2026-11-22T10:00:00.000Z", stage: "reading", ...left, workers: 3, rate });
  });

  test("stands behind the numbers of a bar, or in a log once a minute", () => {
    const progress = halfway();
    if (!progress) throw new Error("it is far");
    const drawn: unknown[] = [];
    const bar = { update: (...words: unknown[]) => void drawn.push(words), stop: () => {} };
    const onTerminal = follow({ note: (text) => void drawn.push(text) }, { reading: bar, writing: bar }, () => 1e9);
    onTerminal.reading(1500, 3000);
    onTerminal.following(progress);
    onTerminal.reading(1501, 3000);
    const words = "3 workers, 1,746 of 1,800 requests/min, about 5 min left";
    expect(drawn).toEqual([
      [1500, 3000, ""],
      [1500, 3000, words],
      [1501, 3000, words],
    ]);

    const lines: string[] = [];
    let now = 0;
    const inLog = follow({ note: (text) => void lines.push(text) }, { reading: noBar, writing: noBar }, () => now);
    for (; now < 150_000; now += 1000) inLog.following(progress);
    expect(lines).toEqual(Array(2).fill(`Still reading, 1,500 of 3,000 projects, ${words}`));
  });
});
