import { expect, test } from "vitest";
import { progressText } from "../../src/report/runs.ts";
import { ProgressMeter } from "../../src/state/run-summary.ts";

test("the progress of a run says for how long the server told it to wait", () => {
  const meter = new ProgressMeter();
  const at = (now: number) => meter.at(now, new Date(0));
  expect(at(0)).toBeUndefined();
  meter.pause("rate limited by the server (429)", 60_000);
  expect(at(500)).toMatchObject({ stage: "reading", waiting: { seconds: 60 } });
  meter.begin("writing", 4, 1_000);
  meter.reach(2);
  const progress = at(3_000);
  expect(progress).toMatchObject({
    stage: "writing",
    waiting: { why: "rate limited by the server (429)", seconds: 57 },
  });
  expect(progress && progressText(progress)).toBe(
    "writing, 2 of 4 projects, rate limited by the server (429), waiting 57 s, about 2 s left",
  );
  expect(at(60_000)).not.toHaveProperty("waiting");
});
