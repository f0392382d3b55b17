import { createRequire } from "node:module";
import { buildConnector, Pool } from "undici";
import { expect, test } from "vitest";
import { httpLibrary } from "../../src/client/http-library.ts";

const load = createRequire(import.meta.url);

test("only the parts of undici that requests need are loaded, and they are those of its index", () => {
  const loaded: string[] = [];
  const parts = httpLibrary((name) => {
    loaded.push(name);
    return load(name);
  });
  expect(parts).toEqual({ Pool, buildConnector });
  expect(loaded).not.toContain("undici");
});

test("a version of undici that keeps these parts elsewhere is loaded as a whole", () => {
  const moved = (name: string) => {
    if (name !== "undici") throw new Error(`Cannot find module '${name}'`);
    return { Pool, buildConnector };
  };
  expect(httpLibrary(moved)).toEqual({ Pool, buildConnector });
});
