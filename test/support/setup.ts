import fc from "fast-check";
import { afterEach, beforeAll, inject } from "vitest";
import { knownSecrets } from "../../src/base/known-secrets.ts";
import { endAll } from "./ending.ts";

// One process runs many files: each of them finds it as if it were the first.
beforeAll(() => knownSecrets.forget());
afterEach(endAll);

fc.configureGlobal({ seed: inject("seed") });
