/** A line of an `allowed_signers` file (ssh-keygen(1), ALLOWED SIGNERS). */
export interface Signer {
  /** The principals of the line. */
  readonly name: string;
  /** Normalized names. Signers that share one are the same person. */
  readonly principals: readonly string[];
  /** `ssh-ed25519 AAAA…`. */
  readonly key: string;
  /** Validity period of the key; open if undefined. */
  readonly validAfter?: Date;
  readonly validBefore?: Date;
}

/** An error in a line; the first line is 1. */
interface SignerFault {
  readonly line: number;
  readonly message: string;
}

export interface AllowedSigners {
  readonly signers: readonly Signer[];
  readonly faults: readonly SignerFault[];
}

/**
 * Parses an `allowed_signers` file. Lines for other namespaces are ignored. Patterns and certificate authorities are
 * faults, because they do not identify a person.
 */
export function allowedSigners(text: string, namespace: string): AllowedSigners {
  const lines = text.split(/\r?\n/).map((line, index) => ({ line: index + 1, read: signerIn(line.trim(), namespace) }));
  return {
    signers: lines.flatMap(({ read }) => (typeof read === "object" ? [read] : [])),
    faults: lines.flatMap(({ line, read }) => (typeof read === "string" ? [{ line, message: read }] : [])),
  };
}

const parts =
  /^("[^"]+"|[^"\s]+)\s+(?:((?:[^\s"]|"(?:[^"\\]|\\.)*")+)\s+)??((?:ssh|ecdsa|sk)-[\w.@-]+)\s+([A-Za-z0-9+/]+=*)(?:\s|$)/;

/** A signer or an error message; undefined for comments and lines for other namespaces. */
function signerIn(line: string, namespace: string): Signer | string | undefined {
  if (line === "" || line.startsWith("#")) return undefined;
  const [, quoted, optionText = "", type, key] = parts.exec(line) ?? [];
  if (!quoted || !type || !key) return "expected PRINCIPAL[,PRINCIPAL] [OPTIONS] KEY-TYPE KEY";
  const name = quoted.replaceAll('"', "");
  if (/[*?!]/.test(name)) return `${name} is a pattern; list each person by name, so that two approvals are two people`;
  const options = optionsIn(optionText);
  if (typeof options === "string") return options;
  const { namespaces, "valid-after": after, "valid-before": before } = options;
  if (namespaces !== undefined && !isListed(namespaces.split(","), namespace)) return undefined;
  const [validAfter, validBefore] = [timeIn(after), timeIn(before)];
  if (validAfter === null || validBefore === null) return "expected a time such as 20270630 or 202706301200Z";
  const principals = name
    .split(",")
    .map(normalizeName)
    .filter((each) => each !== "");
  if (principals.length === 0) return "expected a name that can be read";
  return {
    name,
    principals,
    key: `${type} ${key}`,
    ...(validAfter && { validAfter }),
    ...(validBefore && { validBefore }),
  };
}

/** Ignores differences that people do not see: case, Unicode forms, spaces and invisible characters. */
function normalizeName(name: string): string {
  const visible = name.normalize("NFKC").replace(/[\p{Default_Ignorable_Code_Point}\p{C}]/gu, "");
  return visible.toLowerCase().normalize("NFKC").replace(/\s+/g, " ").trim();
}

type Options = Readonly<Partial<Record<"namespaces" | "valid-after" | "valid-before", string>>>;

function optionsIn(text: string): Options | string {
  const found = [...text.matchAll(/([\w-]+)(?:="((?:[^"\\]|\\.)*)"|=([^,"]*))?(?:,|$)/g)];
  if (found.map(([all]) => all).join("") !== text) return `cannot read the options ${text}`;
  const unknown = found.map(([, name = ""]) => name.toLowerCase()).find((name) => !known.includes(name));
  if (unknown === "cert-authority") return "certificate authorities are not supported; list the key of each person";
  if (unknown !== undefined) return `unknown option ${unknown}; expected one of ${known.join(", ")}`;
  if (new Set(found.map(([, name = ""]) => name.toLowerCase())).size < found.length) {
    return `an option is given twice in ${text}`;
  }
  return Object.fromEntries(found.map(([, name = "", quoted, plain]) => [name.toLowerCase(), quoted ?? plain ?? ""]));
}

const known: readonly string[] = ["namespaces", "valid-after", "valid-before"];

/** Pattern lists of OpenSSH: a match with `!` excludes, whatever else matches. */
function isListed(patterns: readonly string[], text: string): boolean {
  const isExcluded = patterns.some((pattern) => pattern.startsWith("!") && matches(pattern.slice(1), text));
  return !isExcluded && patterns.some((pattern) => matches(pattern, text));
}

/** Patterns of OpenSSH: `*` and `?`. */
function matches(pattern: string, text: string): boolean {
  const escaped = pattern.replace(/[\\^$.+()[\]{}|]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/\*+/g, ".*").replaceAll("?", ".")}$`).test(text);
}

/** `YYYYMMDD[HHMM[SS]]`, local time or, with a `Z`, UTC; null if invalid. */
function timeIn(text: string | undefined): Date | null | undefined {
  if (text === undefined) return undefined;
  const [, year, month, day, hour = "00", minute = "00", second = "00", zone = ""] =
    /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(Z?)$/i.exec(text) ?? [];
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone.toUpperCase()}`);
  return Number.isNaN(time.getTime()) ? null : time;
}

/** One signer per person among `signers`. Lines of `listed` that share a name or a key are one person. */
export function peopleAmong(signers: readonly Signer[], listed: readonly Signer[] = signers): readonly Signer[] {
  const people = peopleIn(listed);
  const personOf = (signer: Signer) => people.find((person) => person.signers.includes(signer));
  return signers.filter((signer, index) => signers.findIndex((each) => personOf(each) === personOf(signer)) === index);
}

interface Person {
  readonly marks: ReadonlySet<string>;
  readonly signers: readonly Signer[];
}

function peopleIn(listed: readonly Signer[]): readonly Person[] {
  let people: readonly Person[] = [];
  for (const signer of listed) {
    const own = [...signer.principals, signer.key];
    const same = people.filter(({ marks }) => own.some((mark) => marks.has(mark)));
    const marks = new Set([...own, ...same.flatMap((person) => [...person.marks])]);
    const signers = [...same.flatMap((person) => person.signers), signer];
    people = [...people.filter((person) => !same.includes(person)), { marks, signers }];
  }
  return people;
}
