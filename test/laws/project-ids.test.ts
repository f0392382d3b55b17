import { describe, expect, test } from "vitest";
import { stage } from "../support/stage.ts";

const near = 2 ** 53 - 1;
/** Beyond what JavaScript holds exactly, and other spellings that would be another project's ID, or none. */
const wrong = [`${near + 1}`, "9007199254740993", "99999999999999999999999", "0", "042", "0000"];
const notIntegers = ["-1", "1.5", ".nan", ".inf"];

async function staged(selector: string, more = "") {
  const place = await stage({ projects: [{ id: 42, path: "p" }], policy: { projects: ["p"] } });
  place.write(
    "all.yaml",
    `apiVersion: evenkeel/v1\nkind: Policy\nname: all\nprojects: [${selector}]\nlicenses: { MIT: allowed }\n${more}`,
  );
  return place;
}

describe("an ID that would mean another project is refused with its place", () => {
  const spelled = [...wrong.filter((id) => !/^0\d/.test(id)), ...notIntegers];
  test.each([...spelled, ...wrong.map((id) => `"${id}"`)])("projects: [%s]", async (id) => {
    const { evenkeel } = await staged(id);
    const { code, stderr } = await evenkeel("validate");
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^all\.yaml:4:12 .*expected /) });
    expect((await evenkeel("plan")).reads).toBe(0);
  });

  test.each(wrong)("except, canary, protected and a rule's except: %s", async (id) => {
    const place = await staged("p", `except: ["${id}"]\n`);
    place.write(
      "rule.yaml",
      `apiVersion: evenkeel/v1\nkind: Rule\nname: r\nwhen: "true"\nmessage: m\nexcept: ["${id}:*"]\n`,
    );
    const workspace = place.read("evenkeel.yaml");
    place.write("evenkeel.yaml", `${workspace}\ncanary: ["${id}"]\nprotected: ["${id}:license/*"]\n`);
    const { stderr } = await place.evenkeel("validate");
    for (const where of [
      /^all\.yaml:\d+:\d+ {2}except/m,
      /^rule\.yaml:\d+:\d+ {2}except/m,
      / {2}canary/,
      / {2}protected/,
    ])
      expect(stderr).toMatch(where);
  });

  test.each(wrong)("on the command line: %s", async (id) => {
    const { evenkeel } = await staged("p");
    for (const args of [
      ["plan", "--target", `${id}:*`],
      ["apply", "--yes", "--resend", id],
      ["accept", `${id}:license/MIT`],
      ["show", id],
    ])
      expect([args, (await evenkeel(...args)).code]).toEqual([args, 64]);
    expect((await evenkeel("import", id)).code).toBe(1);
  });
});

test.each([`${near}`, "42", '"42"', "4_2"])("others stay what they are: %s", async (id) => {
  const { evenkeel } = await staged(id);
  expect((await evenkeel("validate")).stderr).not.toContain("project ID");
});
