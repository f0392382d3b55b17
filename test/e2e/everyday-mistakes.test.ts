import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { scene } from "./workspace.ts";

const policy = { projects: ["p/a"], licenses: { MIT: "allowed" } };
const projects = [{ id: 1, path: "p/a" }];

test("labels are in colour on a terminal, and never without one", async () => {
  const { evenkeelWith, write } = await scene({ policy, projects });
  write("x.yaml", "");
  write("y.yaml", "a: [");
  const plain = await evenkeelWith({}, "validate");
  expect(plain.stderr).toMatch(/^warning: x\.yaml:1:1 {2}.*\ny\.yaml:1:4 {2}.*\n$/);
  const { stderr } = await evenkeelWith({ FORCE_COLOR: "1" }, "validate");
  expect(stripVTControlCharacters(stderr)).toBe(plain.stderr);
  expect(stderr.split("\n", 2).map((line) => line.startsWith("\u001b["))).toEqual([true, true]);
  const usage = await evenkeelWith({ FORCE_COLOR: "1" }, "plan", "--nope");
  expect([usage.code, usage.stderr.startsWith("\u001b[1m")]).toEqual([64, true]);
});
