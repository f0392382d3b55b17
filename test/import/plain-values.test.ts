import { expect, test } from "vitest";
import { isPlainlyPublic, withoutPasswords } from "../../src/author/import/plain-values.ts";

test.each([
  ...["", "true", "off", "0", "-1", "3600000", "0.75", "1.2.3", "v20.19.0", "1.2.3-rc.1", "16-alpine", "^4.2"],
  ...["production", "us-east-1", "eu_central", "DEBUG", "RelWithDebInfo", "node20", "512Mi", "30s", "amd64"],
  ...["main, develop", "hello world", "linux/amd64,linux/arm64", "2026-11-24", "10.0.0.0/16", "localhost:8080"],
  ...["/opt/build/cache", "./dist", "~/work", "deploy/charts/api", "docker.example.com/team/app", "postgres:16-alpine"],
  ...[
    "https://example.com",
    "https://gitlab.example.com/group/project",
    "https://registry.example.com:5000/v2/team/",
    "ssh://code.example.com/group/app.git",
  ],
])("%s is plainly public", (value) => {
  expect(isPlainlyPublic("SETTING", value)).toBe(true);
});

test.each([
  ...["AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEXEY", "123456789012", "4111-1111-1111-1111"],
  ...["550e8400-e29b-41d4-a716-446655440000", "d41d8cd98f00b204e9800998ecf8427e", "deadbeefcafebabe"],
  ...["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP", "aGVsbG8gd29ybGQ=", "c2VjcmV0dmFsdWU", "glpat-x1Y2z3A4b5C6"],
  ...[
    ...["xkqzvbtwpl", "QWERTZUIOP", "Tr0ub4dor", "hunter2", "P92+2/3t", "cgUkiBbseg", "Passw0rd", "admin:swordfish"],
    "AB12-CD34-EF56-GH78",
  ],
  ...[
    "correct horse battery staple",
    "Server=db;User=sa;Pwd=x",
    "postgres://db.example.com/app",
    "redis://cache:6379/0",
  ],
  ...["https://ci:pw@example.com", "https://ci@example.com", "https://example.com/?a=b", "https://example.com/#a"],
  ...["https://chat.example.com/services/T0G9PQBBK/B0G9WFFQ/XXqz81hsAlqW", "team@example.com", "$OTHER", "${OTHER}"],
  ...["two\nlines", '{"a":1}', "-----BEGIN PRIVATE KEY-----", "schlüssel", "%41bc", "changeme!", "---"],
])("%s may be a credential", (value) => {
  expect(isPlainlyPublic("SETTING", value)).toBe(false);
});

test.each([
  ...["API_TOKEN", "deployKey", "CLIENT_SECRET", "DB_PASSWORD", "PGPASS", "ROOT_PWD", "REGISTRY_AUTH", "SIGNING_CERT"],
  ...["CHAT_WEBHOOK", "DB_CONNECTION", "SENTRY_DSN", "PIN", "MY_PAT", "session-cookie", "GCP_CREDENTIALS", "CODESIGN"],
])("a value of %s stays a reference", (name) => {
  expect([isPlainlyPublic(name, "production"), isPlainlyPublic(name, "")]).toEqual([false, false]);
});

test.each(["NODE_ENV", "DB_HOST", "PATH_PREFIX", "SPINNER", "PIPELINE_TIMEOUT", "LOG_LEVEL"])(
  "a word of %s is a literal",
  (name) => expect(isPlainlyPublic(name, "production")).toBe(true),
);

test.each([
  ["https://ci:pw@ci.example.com/a", "https://ci@ci.example.com/a"],
  ["https://x9Yz8Wv7Ut6s@ci.example.com", "https://ci.example.com"],
  ["https://:p%40w:x@ci.example.com", "https://ci.example.com"],
  ["a https://u:p@b@h.example.com, ssh://git@h.example.com", "a https://u@h.example.com, ssh://git@h.example.com"],
  ["https://h.example.com/a:b@c", "https://h.example.com/a:b@c"],
])("%s is written as %s", (url, written) => {
  expect(withoutPasswords(url)).toBe(written);
});
