import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { makeFolder } from "../../src/workspace/durable-file.ts";
import { makeFiles, outputAt, outputError, writeOutput } from "../../src/workspace/output-file.ts";
import { tempFolder } from "../support/folder.ts";
import { startProcess } from "../support/processes.ts";

function folder(): (name: string) => string {
  const root = tempFolder();
  return (name) => join(root, name);
}

const write = (path: string, text: string) => writeOutput(outputAt(path), text);

describe("an output", () => {
  test("takes the place of a regular file, whose mode stays", () => {
    const at = folder();
    writeFileSync(at("a"), "before");
    chmodSync(at("a"), 0o640);
    write(at("a"), "after");
    expect(readFileSync(at("a"), "utf8")).toBe("after");
    expect(statSync(at("a")).mode & 0o777).toBe(0o640);
    expect(readdirSync(at("."))).toEqual(["a"]);
  });

  test("goes through links, also one that led nowhere yet", () => {
    const at = folder();
    mkdirSync(at("d"));
    symlinkSync("d/target", at("link"));
    symlinkSync("link", at("other"));
    for (const name of ["link", "other"]) {
      write(at(name), name);
      expect(readFileSync(at("d/target"), "utf8")).toBe(name);
      expect(lstatSync(at(name)).isSymbolicLink()).toBe(true);
    }
    expect(outputAt(at("other"))).toEqual(outputAt(at("d/target")));
  });

  test("goes into a FIFO, which stays one", async () => {
    const at = folder();
    execFileSync("mkfifo", [at("fifo")]);
    const read = text(startProcess("cat", [at("fifo")]).stdout);
    const long = "x".repeat(300_000);
    write(at("fifo"), long);
    expect(await read).toBe(long);
    expect(lstatSync(at("fifo")).isFIFO()).toBe(true);
  });

  test("goes into a device, and fails where that does", () => {
    const at = folder();
    symlinkSync("/dev/full", at("full"));
    expect(outputAt(at("full"))).toEqual({ device: "/dev/full" });
    expect(() => write(at("full"), "x")).toThrow("ENOSPC");
  });

  test.each(["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])("%s is the stream that is open", (path) => {
    expect(outputAt(path)).toEqual({ fd: 1 });
    const at = folder();
    symlinkSync(path, at("link"));
    expect(outputAt(at("link"))).toEqual({ fd: 1 });
  });

  test("that cannot be written is known before", () => {
    const at = folder();
    mkdirSync(at("d"));
    writeFileSync(at("d/file"), "");
    symlinkSync("round", at("round"));
    const troubles = ["d/file/a", "d", "round", "/dev/fd/9999"].map((name) =>
      outputError(name.startsWith("/") ? name : at(name)),
    );
    expect(troubles).toEqual([
      "a part of its path is not a folder",
      "it is a folder",
      "its links form a loop",
      "it is not open",
    ]);
    expect([outputError(at("d/new")), outputError(at("new/of/new"))]).toEqual([undefined, undefined]);
  });
});

test("several files are made, or none", () => {
  const at = folder();
  const files = ["a/b", "c"].map((name) => ({ name, path: at(name), text: name }));
  makeFiles(files);
  expect(readFileSync(at("a/b"), "utf8")).toBe("a/b");
  rmSync(at("a"), { recursive: true });
  expect(() => makeFiles(files)).toThrow("cannot write c: something else has that name; nothing was written");
  expect([existsSync(at("a")), readdirSync(at("."))]).toEqual([false, ["c"]]);
});

test("a folder that cannot be made fails at once", () => {
  expect(() => makeFolder("/proc/x/y")).toThrow("ENOENT");
});
