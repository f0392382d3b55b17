import { Ajv } from "ajv";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { afterEach, beforeAll, inject } from "vitest";
import { useAjv } from "../../src/base/ajv.ts";
import { knownSecrets } from "../../src/base/known-secrets.ts";
import { useRe2 } from "../../src/base/linear-pattern.ts";
import { compileKindExpression } from "../../src/model/kind-expressions.ts";
import { useExpressions } from "../../src/model/lazy-expressions.ts";
import { endAll } from "./ending.ts";

// As the library does it; processes load them when a run needs them.
useExpressions(compileKindExpression);
useAjv(() => Ajv);
useRe2(() => RE2JS);

// One process runs many files: each of them finds it as if it were the first.
beforeAll(() => knownSecrets.forget());
afterEach(endAll);

fc.configureGlobal({ seed: inject("seed") });
