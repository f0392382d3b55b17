import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { commands, groupOf, groups } from "../../src/commands/command.ts";
import { Screen, startBar } from "../../src/commands/terminal.ts";
import { dialects } from "../../src/model/dialects.ts";
import { branchKinds } from "../../src/model/events.ts";
import { findingKinds, planKinds, revisionKinds } from "../../src/report/report.ts";
import { runProgram } from "../e2e/program.ts";
import { folder } from "../support/folder.ts";

const visible = commands.filter(({ hidden }) => !hidden);
const helpOf = async (...words: string[]) => (await runProgram([...words, "-h"], folder().root)).stdout;

test.each(visible.map(({ name }) => name))(
  "help of %s has no line that a terminal breaks, and its own options first",
  async (name) => {
    const text = await helpOf(...name.split(" "));
    expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
    const parts = ["Examples:", "\nUsage: ", "\nShared options:"].map((part) => text.indexOf(part));
    expect(parts).toEqual(parts.toSorted((a, b) => a - b));
    expect(text.indexOf("--quiet") === -1 || text.lastIndexOf("--quiet") > (parts[2] ?? 0)).toBe(true);
    expect(text.indexOf("\nOptions:")).toBeLessThan(parts[2] ?? 0);
  },
);

test.each([[], ...Object.keys(groups).map((name) => [name])])(
  "help of %s wraps, and lists help below",
  async (...words) => {
    const text = await helpOf(...words);
    expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(text).toMatch(/^ {2}help \[command\] +display help for command$/m);
    expect(text.includes("\nCommands:")).toBe(words.length > 0);
  },
);

test("commands are listed by what they are for, each once", async () => {
  const text = await helpOf();
  const headings = text.match(/^[A-Z][a-z A-Z]+:$/gm) ?? [];
  expect(headings).toEqual(expect.arrayContaining(["Get started:", "Change the server:", "Operate:", "Rehearse:"]));
  expect(visible.filter(({ name }) => groupOf(name) === "Other commands")).toEqual([]);
  for (const { name } of visible.filter((each) => !each.name.includes(" ")))
    expect(text.match(new RegExp(`^ {2}${name}\\b`, "gm"))).toHaveLength(1);
});

test("schemas/commands.yaml lists the values that the program takes", () => {
  const flagOf = (name: string, word: string) =>
    commands.find((each) => each.name === name)?.flags.find(({ flags }) => flags.startsWith(word));
  for (const name of ["explain", "serve"]) expect(flagOf(name, "--dialect")?.choices).toEqual([...dialects.keys()]);
  expect(flagOf("routes", "--branch-kind")?.choices).toEqual(branchKinds);
  for (const [name, kinds] of Object.entries({ plan: planKinds, validate: findingKinds, diff: revisionKinds }))
    expect(flagOf(name, "--report")?.suggests).toEqual(kinds);
  const reports = commands.flatMap(({ flags }) => flags.filter(({ suggests = [] }) => suggests.includes("text")));
  for (const { description, suggests = [] } of reports) expect(description).toContain(`: ${suggests.join(", ")};`);
});

test("a bar is out of the way of what is printed, and of a process that ends", () => {
  const chunks: string[] = [];
  const stream = Object.assign(
    new Writable({ write: (chunk, _, done) => void done(void chunks.push(String(chunk))) }),
    {
      isTTY: true,
      columns: 80,
    },
  );
  const screen = new Screen(stream);
  screen.clear();
  expect(chunks).toEqual([]);
  const bar = startBar("Reading", screen);
  bar.update(1, 2);
  expect(chunks.join("")).toBe(`\u001b[?25lReading [${"=".repeat(15)}${"-".repeat(15)}] 1/2 `);
  chunks.length = 0;
  screen.clear();
  expect(chunks.at(-1)).toBe("\r\u001b[2K");
  screen.leave();
  expect(chunks.at(-1)).toContain("\u001b[?25h");
  bar.stop();
  chunks.length = 0;
  screen.clear();
  expect(chunks).toEqual([]);
});
