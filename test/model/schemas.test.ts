import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { dialects } from "../../src/model/dialects.ts";
import { schemasIn } from "../../src/model/schemas.ts";
import { read, root } from "../readme.ts";

const files = readdirSync(join(root, "schemas")).filter((name) => name.endsWith(".schema.json"));
const shipped = files.map((name): [string, object] => [name, JSON.parse(read(join("schemas", name)))]);
const renamed = [...dialects].flatMap(([name, dialect]) =>
  [...schemasIn(dialect)].map(([file, schema]): [string, object] => [`${file} in ${name}`, schema]),
);

test.each([...shipped, ...renamed])("%s is valid draft-07", (_, schema) => {
  const ajv = new Ajv();
  expect(schema).toHaveProperty("$schema", "http://json-schema.org/draft-07/schema#");
  expect(ajv.validateSchema(schema) || ajv.errors).toBe(true);
});
