import { expect, test } from "vitest";
import { columns, plain } from "../../src/report/terminal.ts";

test("a very long cell moves the rest of its own row only", () => {
  const long = "x".repeat(300);
  expect(
    columns(
      ["NAME", "REASON"],
      [
        ["short", "a"],
        [long, "b"],
        ["y".repeat(60), "c"],
      ],
      plain,
    ),
  ).toBe(
    [`  NAME${" ".repeat(56)}  REASON`, `  short${" ".repeat(55)}  a`, `  ${long}  b`, `  ${"y".repeat(60)}  c`].join(
      "\n",
    ),
  );
  expect(
    columns(
      ["NAME", "REASON"],
      [
        ["short", "a"],
        [long, "b"],
      ],
      plain,
    ),
  ).toBe(`  NAME   REASON\n  short  a\n  ${long}  b`);
});
