import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { runProcess } from "../support/processes.ts";

test.each(["explain --report json", "--help", "deprecations"])(
  "a reader that stops reading %s hears no complaint",
  async (line) => {
    const program = `"${process.execPath}" "${join(inject("build"), "cli.js")}"`;
    const { stdout, stderr } = await runProcess("bash", ["-c", `${program} ${line} | { exec 0<&-; sleep 0.5; }`]).ended;
    expect({ stdout, stderr }).toEqual({ stdout: "", stderr: "" });
  },
);
