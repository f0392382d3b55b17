/**
 * The part of the published SARIF 2.1.0 schema that Evenkeel writes, closed: every name and every limit is the
 * standard's, and a property that is not listed here is refused even where the standard has it.
 */
const closed = (required: readonly string[], properties: object) => ({
  type: "object",
  additionalProperties: false,
  required,
  properties,
});
const text = { type: "string" };
const message = closed(["text"], { text });
const level = { enum: ["none", "note", "warning", "error"] };
const list = (items: object, more: object = {}) => ({ type: "array", items, ...more });
const unique = { uniqueItems: true };

const descriptor = closed(["id"], { id: text, shortDescription: message });
const location = closed([], {
  physicalLocation: closed(["artifactLocation"], {
    artifactLocation: closed([], {
      uri: { type: "string", pattern: "^(?:[A-Za-z0-9._~!$&'()*+,;=@/-]|%[0-9A-F]{2})*$" },
    }),
    region: closed([], { startLine: { type: "integer", minimum: 1 }, startColumn: { type: "integer", minimum: 1 } }),
  }),
  logicalLocations: list(closed([], { fullyQualifiedName: text }), unique),
});
const result = closed(["message"], {
  ruleId: text,
  ruleIndex: { type: "integer", minimum: -1 },
  level,
  message,
  locations: list(location),
  partialFingerprints: { type: "object", additionalProperties: text },
});
const invocation = closed(["executionSuccessful"], {
  executionSuccessful: { type: "boolean" },
  exitCode: { type: "integer" },
  endTimeUtc: { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$" },
  toolExecutionNotifications: list(closed(["message"], { level, message })),
});
const run = closed(["tool"], {
  tool: closed(["driver"], {
    driver: closed(["name"], { name: text, version: text, rules: list(descriptor, unique) }),
  }),
  automationDetails: closed([], { id: text }),
  columnKind: { enum: ["utf16CodeUnits", "unicodeCodePoints"] },
  invocations: list(invocation),
  results: list(result),
  properties: { type: "object", additionalProperties: text },
});

export const sarifSchema = closed(["version", "runs"], {
  $schema: text,
  version: { enum: ["2.1.0"] },
  runs: list(run),
});
