import schema from "../../schemas/secret-providers.schema.json" with { type: "json" };
import { durationOf } from "../base/rate.ts";
import { compile } from "../base/schema.ts";
import type { Problem } from "../model/types.ts";
import type { Document, Parsed } from "./document.ts";
import type { Path } from "./positions.ts";
import { problemAt, problemIn } from "./problem.ts";
import { shapeBy } from "./shape.ts";

export interface Provider {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** `each`: one call per reference, the value on stdout. `batch`: one call for all, JSON on stdin and stdout. */
  readonly protocol: "each" | "batch";
  /** Milliseconds per call. */
  readonly timeout: number;
}

/** The providers of a file, and its problems. With problems, a run that needs a provider does not start. */
export interface Providers {
  readonly known: ReadonlyMap<string, Provider>;
  readonly problems: readonly Problem[];
}

export const placeholder = "{ref}";

interface ProviderText {
  readonly command?: readonly string[];
  readonly protocol?: Provider["protocol"];
  readonly timeout?: string;
}

export function readProviders(file: string, { documents, problems }: Parsed): Providers {
  const [document, ...others] = documents;
  if (!document) return nothing(problems.length > 0 ? problems : [problemIn(file, "wrong-type", expected)]);
  const { text, problems: shapeless } = shapeBy<Record<string, ProviderText>>(check, document);
  const providers = Object.entries(text).map(([name, each]) => [name, each ?? {}] as const);
  const faults = [
    ...problems,
    ...others.map((other) => problemAt("wrong-type", "expected one document", { document: other, path: [] })),
    ...shapeless,
    ...providers.flatMap(([name, each]) => commandFaults(document, name, each)),
  ];
  if (faults.length > 0) return nothing(faults);
  const known = providers.map(([name, { command = [], protocol = "each", timeout = "30s" }]) => {
    const [program = "", ...args] = command;
    return [name, { name, program, args, protocol, timeout: durationOf(timeout) ?? 30_000 }] as const;
  });
  return { known: new Map(known), problems: [] };
}

const expected = "expected a mapping from names to providers";

const check = compile(schema);

function nothing(problems: readonly Problem[]): Providers {
  return { known: new Map(), problems };
}

/** A command must contain the placeholder for the reference, so that different references never run the same command. */
function commandFaults(document: Document, name: string, { command, protocol = "each" }: ProviderText): Problem[] {
  if (!command) return [];
  const fault = (message: string, ...path: Path) =>
    problemAt("wrong-value", message, { document, path: [name, "command", ...path] });
  const holding = command.flatMap((word, index) => (word?.includes(placeholder) ? [index] : []));
  if (holding.includes(0)) return [fault(`the program itself cannot depend on ${placeholder}`, 0)];
  if (protocol === "batch")
    return holding.map((index) => fault(`batch gets its references on stdin, not by ${placeholder}`, index));
  return holding.length > 0 ? [] : [fault(`no argument has ${placeholder}, which the reference takes the place of`)];
}
