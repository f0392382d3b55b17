import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, inject, test } from "vitest";

test.each(["explain --report json", "--help", "deprecations"])(
  "a reader that stops reading %s hears no complaint",
  (line) => {
    const program = `"${process.execPath}" "${join(inject("build"), "cli.js")}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", `${program} ${line} | { exec 0<&-; sleep 0.5; }`], {
      encoding: "utf8",
    });
    expect({ stdout, stderr }).toEqual({ stdout: "", stderr: "" });
  },
);
