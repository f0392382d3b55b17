import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { hints, isRemoved, schedule } from "../../src/model/deprecations.ts";
import { legacyRemoval } from "../../src/model/license-status.ts";
import { type ScheduleFilter, scheduleRows, scheduleText } from "../../src/report/deprecations.ts";
import { plain } from "../../src/report/terminal.ts";

const schemas = join(import.meta.dirname, "../../schemas");
const json = (file: string) => JSON.parse(readFileSync(join(schemas, file), "utf8"));

/** The planned removals of the specification; later ones are the platform's own. */
const specified = schedule.filter(({ announced }) => announced === undefined);

const all: ScheduleFilter = { release: undefined, asOf: undefined, reached: "14.5" };

describe("schemas/deprecations.json", () => {
  it("is what its schema says", () => {
    const validate = new Ajv({ allErrors: true, strict: false, validateFormats: false }).compile(
      json("deprecations.schema.json"),
    );
    expect(validate(json("deprecations.json")) || validate.errors).toBe(true);
  });

  it("has every row of the planned removals, with its release and date", () => {
    const rows = [...new Set(specified.map(({ release, removal_date }) => `${release} ${removal_date}`))];
    expect(rows).toEqual(["14.5 2021-11-22", "14.6 2021-12-22", "14.8 2022-02-22", "15.0 2022-05-22", "15.0 null"]);
  });

  it("has no id twice", () => {
    const known = [...schedule, ...hints].map(({ id }) => id);
    expect(new Set(known).size).toBe(known.length);
  });

  it("has patterns that compile", () => {
    const patterns = schedule.flatMap(({ detect }) =>
      (detect ?? []).flatMap((way) => [...("matches" in way ? [way.matches] : []), ...("of" in way ? [way.of] : [])]),
    );
    for (const pattern of patterns) expect(() => new RegExp(pattern)).not.toThrow();
  });
});

describe("what is due", () => {
  it("is never what has no removal date", () => {
    const due = scheduleRows(schedule, { ...all, reached: "99.0" }).filter((row) => !row.due);
    expect(due).toEqual(due.filter(({ removal_date }) => removal_date === null));
    expect(due.map(({ id }) => id)).toContain("certificate-based-clusters");
  });

  it("is marked in the text", () => {
    const text = scheduleText(scheduleRows(schedule, all), all, plain);
    expect(text.match(/^Release .*$/gm)?.slice(0, 6)).toEqual([
      ...["Release 14.5, 2021-11-22  due", "Release 14.6, 2021-12-22", "Release 14.8, 2022-02-22"],
      ...["Release 15.0, 2022-05-22", "Release 15.0, no removal date set", "Release 15.7, 2022-12-22"],
    ]);
    expect(text).toContain(`${schedule.length} changes, 2 due by release 14.5.`);
  });
});

it("a patch release reaches its removals", () => {
  const [entry] = schedule.filter(({ id }) => id === "ci-type");
  expect(entry && isRemoved(entry, "15.0.2")).toBe(true);
  expect(entry && isRemoved(entry, "14.10.5")).toBe(false);
});

it("the release that removes the older words of licenses is that of the schedule", () => {
  expect(schedule.find(({ id }) => id === "license-status-approved")?.release).toBe(legacyRemoval);
});
