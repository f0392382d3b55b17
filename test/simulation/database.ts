/** A row as the driver returns it. */
type Row = Readonly<Record<string, unknown>>;
type Values = readonly unknown[];

interface Lease {
  readonly fence: number;
  readonly run: string | null;
  readonly who: string;
  readonly host: string;
  readonly pid: number;
  readonly job: string | null;
  readonly since: number;
  readonly deadline: number;
}

/** A line of a log, and the machine that wrote it. */
export interface LineRow {
  readonly workspace: string;
  readonly log: string;
  readonly name: string;
  readonly content: string;
  readonly machine: string;
}

interface DocumentRow {
  readonly workspace: string;
  readonly collection: string;
  readonly name: string;
  readonly content: string;
}

interface MemberRow extends Row {
  readonly id: string;
  readonly deadline: number;
}

interface IntentRow {
  readonly workspace: string;
  readonly run: string;
  readonly address: string;
  readonly sender: string;
  readonly member: string;
  readonly since: number;
  readonly outcome: string | null;
  readonly sealed: string;
}

interface PartRow {
  readonly workspace: string;
  readonly run: string;
  readonly part: string;
  readonly since: number;
  readonly result: string;
}

const day = 86_400_000;

/** The tables of the schema `evenkeel`, and what its statements do to them: each whole and in one moment. */
export class Database {
  readonly leases = new Map<string, Lease>();
  /** By batch and place, in the order in which they arrived. */
  readonly lines = new Map<string, LineRow>();
  readonly documents = new Map<string, DocumentRow>();
  readonly members = new Map<string, MemberRow>();
  readonly intents = new Map<string, IntentRow>();
  readonly parts = new Map<string, PartRow>();
  readonly rates = new Map<string, number>();
  /** All intents that ever were. */
  readonly claimed = new Set<string>();
  /** Of the schema; 0 where nobody has made it yet. */
  version = 0;
  readonly now: () => number;
  /** Whoever executes a statement. */
  machine = "";

  /** `now`: milliseconds of its calendar. */
  constructor(now: () => number) {
    this.now = now;
  }

  /** @throws for a statement that it does not know: then the twin of a changed one is to be written here. */
  execute(text: string, values: Values = [], machine = ""): readonly Row[] {
    this.machine = machine;
    return (known.get(text) ?? find(text))(this, values);
  }

  /** The summaries of all runs. */
  summaries(): readonly { readonly run: string; readonly summary: string }[] {
    const runs = [...this.documents.values()].filter(({ collection }) => collection === "runs");
    return runs.map(({ name, content }) => ({ run: name, summary: content }));
  }

  /** The journal lines of a run. */
  journal(run: string): readonly LineRow[] {
    return [...this.lines.values()].filter(({ log, name }) => log === "journals" && name === run);
  }

  /** What somebody holds: the lease of this name. */
  lease(workspace: unknown, name: unknown = "apply"): Lease | undefined {
    const lease = this.leases.get(key(workspace, name));
    return lease && lease.run !== null && lease.deadline > this.now() ? lease : undefined;
  }

  /** Takes it away from whoever has it. */
  free(workspace: unknown, name: unknown): void {
    const before = this.leases.get(key(workspace, name));
    if (before) this.leases.set(key(workspace, name), { ...before, run: null, deadline: Number.NEGATIVE_INFINITY });
  }

  isHeld([workspace, run, fence]: Values, name?: unknown): boolean {
    const lease = this.lease(workspace, name);
    return lease !== undefined && lease.run === run && lease.fence === fence;
  }

  isGone(member: string, grace: number): boolean {
    const found = this.members.get(member);
    return !found || found.deadline + grace <= this.now();
  }
}

type Statement = (database: Database, values: Values) => readonly Row[];

const known = new Map<string, Statement>();

function find(text: string): Statement {
  const plain = text.replace(/\s+/g, " ").trim();
  const all = Object.entries(statements).filter(([start]) => matches(plain, start));
  const [, longest] = all.sort(([a], [b]) => b.length - a.length)[0] ?? [];
  if (!longest) throw new Error(`the simulated database does not know this statement: ${plain}`);
  known.set(text, longest);
  return longest;
}

/** `…` stands for anything between two parts of a statement. */
function matches(text: string, pattern: string): boolean {
  const [start = "", ...rest] = pattern.split("…");
  if (!text.startsWith(start)) return false;
  let at = start.length;
  return rest.every((part) => {
    at = text.indexOf(part, at) + part.length;
    return at >= part.length;
  });
}

const key = (...parts: unknown[]) => parts.join("\u0001");
const nothing: readonly Row[] = [];
const yes: readonly Row[] = [{ yes: 1 }];
const time = (milliseconds: number) => (Number.isFinite(milliseconds) ? new Date(milliseconds) : milliseconds);

const statements: Readonly<Record<string, Statement>> = {
  BEGIN: () => nothing,
  COMMIT: () => nothing,
  ROLLBACK: () => nothing,
  CREATE: () => nothing,
  "SELECT pg_advisory_xact_lock": () => nothing,
  "SELECT 1 FROM pg_catalog.pg_namespace": ({ version }) => (version > 0 ? yes : nothing),
  "SELECT 1 FROM pg_catalog.pg_tables": ({ version }) => (version > 0 ? yes : nothing),
  "SELECT coalesce(max(version), 0) AS version": ({ version }) => [{ version }],
  "INSERT INTO evenkeel.migration": (database, [version]) => {
    database.version = Math.max(database.version, Number(version));
    return nothing;
  },

  "INSERT INTO evenkeel.lease": (database, [workspace, name, run, who, host, pid, job, duration]) => {
    const { leases } = database;
    const now = database.now();
    const before = leases.get(key(workspace, name));
    if (before && !(before.deadline <= now || before.run === run)) return nothing;
    const fence = (before?.fence ?? 0) + 1;
    const lease = { fence, run, who, host, pid, job, since: now, deadline: now + Number(duration) };
    leases.set(key(workspace, name), lease as Lease);
    return [{ fence: String(fence) }];
  },
  "UPDATE evenkeel.lease SET deadline = clock_timestamp() +": (database, [workspace, name, run, fence, duration]) => {
    if (!database.isHeld([workspace, run, fence], name)) return nothing;
    const before = database.lease(workspace, name) as Lease;
    database.leases.set(key(workspace, name), { ...before, deadline: database.now() + Number(duration) });
    return yes;
  },
  // The simulated clock is never set back.
  "UPDATE evenkeel.lease SET deadline = clock_timestamp() + (deadline - noted)": () => nothing,
  "SELECT extract(epoch FROM deadline - clock_timestamp()) * 1000 AS milliseconds FROM evenkeel.lease": (
    database,
    [workspace, name, run, fence],
  ) => {
    const lease = database.isHeld([workspace, run, fence], name) && database.lease(workspace, name);
    return lease ? [{ milliseconds: String(lease.deadline - database.now()) }] : nothing;
  },
  "UPDATE evenkeel.lease SET deadline = '-infinity', run = NULL WHERE workspace = $1 AND name = $2 AND run = $3 AND fence":
    (database, [workspace, name, run, fence]) => {
      const before = database.leases.get(key(workspace, name));
      if (before && before.run === run && before.fence === fence) database.free(workspace, name);
      return nothing;
    },
  "UPDATE evenkeel.lease SET deadline = '-infinity', run = NULL WHERE workspace = $1 AND name = $2 AND run = $3 AND deadline":
    (database, [workspace, name, run]) => {
      const before = database.lease(workspace, name);
      if (before?.run !== run) return nothing;
      database.free(workspace, name);
      return yes;
    },
  "SELECT fence, run, who, host, pid, job, since, deadline FROM evenkeel.lease": (database, [workspace, name]) => {
    const lease = database.lease(workspace, name);
    if (!lease) return nothing;
    return [{ ...lease, fence: String(lease.fence), since: time(lease.since), deadline: time(lease.deadline) }];
  },

  "WITH held AS (…INSERT INTO evenkeel.line": (database, values) => {
    const [workspace, log, name, batch, contents, run, fence] = values as [
      string,
      string,
      string,
      string,
      string[],
      string?,
      number?,
    ];
    if (run !== undefined && !database.isHeld([workspace, run, fence])) return nothing;
    for (const [place, content] of contents.entries()) {
      const at = key(batch, place);
      const row = { workspace, log, name, content, machine: database.machine };
      if (!database.lines.has(at)) database.lines.set(at, row);
    }
    return yes;
  },
  "SELECT name, content FROM evenkeel.line": ({ lines }, [workspace, log, names]) =>
    linesOf(lines, workspace, log).filter(({ name }) => (names as string[]).includes(name)),
  "SELECT DISTINCT ON (name) name, content FROM evenkeel.line": ({ lines }, [workspace, log]) =>
    Array.from(
      new Map(linesOf(lines, workspace, log).map(({ name, content }) => [name, content])),
      ([name, content]) => ({
        name,
        content,
      }),
    ),
  'SELECT DISTINCT name COLLATE "C" AS name FROM evenkeel.line': ({ lines }, [workspace, log]) =>
    [...new Set(linesOf(lines, workspace, log).map(({ name }) => name))].sort().map((name) => ({ name })),
  "DELETE FROM evenkeel.line": () => nothing,

  "WITH held AS (…INSERT INTO evenkeel.document": (database, values) => {
    const [workspace, collection, names, contents, run, fence] = values as [
      string,
      string,
      string[],
      (string | null)[],
      string?,
      number?,
    ];
    if (run !== undefined && !database.isHeld([workspace, run, fence])) return nothing;
    for (const [index, name] of names.entries()) {
      const content = contents[index];
      const at = key(workspace, collection, name);
      if (content == null) database.documents.delete(at);
      else database.documents.set(at, { workspace, collection, name, content });
    }
    return yes;
  },
  "SELECT name, content FROM evenkeel.document": ({ documents }, [workspace, collection, names]) =>
    (names as string[]).flatMap((name) => {
      const row = documents.get(key(workspace, collection, name));
      return row ? { name, content: row.content } : [];
    }),
  "SELECT name, concat(xmin": ({ documents }, [workspace, collection, names]) =>
    (names as string[]).flatMap((name) => {
      const row = documents.get(key(workspace, collection, name));
      return row ? { name, mark: row.content } : [];
    }),
  "SELECT name FROM evenkeel.document": ({ documents }, [workspace, collection]) => {
    const own = [...documents.values()].filter((row) => row.workspace === workspace && row.collection === collection);
    return own.map(({ name }) => ({ name })).sort((a, b) => (a.name < b.name ? -1 : 1));
  },
  "SELECT (SELECT coalesce(sum(pg_column_size": ({ documents, lines }) => [
    { bytes: String(JSON.stringify([...documents.values(), ...lines.values()]).length) },
  ],

  "WITH settled AS (…INSERT INTO evenkeel.member": (
    database,
    [id, role, origin, version, host, pid, duration, sent],
  ) => {
    const deadline = database.now() + Number(duration);
    const requests = sent === null ? null : String(sent);
    const before = database.members.get(String(id));
    const row = { id: String(id), role, origin, version, host, pid, deadline, requests };
    database.members.set(String(id), before ? { ...before, deadline, requests } : row);
    return nothing;
  },
  "DELETE FROM evenkeel.member WHERE id": ({ members }, [id]) => {
    members.delete(String(id));
    return nothing;
  },
  "SELECT id, role, origin, version, host, pid, requests FROM evenkeel.member": (database) => {
    const there = [...database.members.values()].filter(({ deadline }) => deadline > database.now());
    return there.sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ deadline: _, ...member }) => member);
  },
  "DELETE FROM evenkeel.member WHERE deadline": (database) => {
    for (const [id, { deadline }] of database.members) if (deadline < database.now() - day) database.members.delete(id);
    return nothing;
  },

  "WITH held AS (…INSERT INTO evenkeel.intent": (database, values) => {
    if (!database.isHeld(values)) return nothing;
    const [workspace, run, , address, sender, member, sealed] = values as string[];
    const at = key(workspace, run, address);
    const row = { workspace, run, address, sender, member, since: database.now(), outcome: null, sealed } as IntentRow;
    if (!database.intents.has(at)) database.intents.set(at, row);
    database.claimed.add(at);
    return yes;
  },
  "SELECT sender, member, outcome, sealed, NOT EXISTS": (database, [workspace, run, address, grace]) => {
    const row = database.intents.get(key(workspace, run, address));
    if (!row) return nothing;
    const { sender, member, outcome, sealed } = row;
    return [{ sender, member, outcome, sealed, abandoned: database.isGone(member, Number(grace)) }];
  },
  "WITH held AS (…UPDATE evenkeel.intent": (database, values) => {
    if (!database.isHeld(values)) return nothing;
    const [workspace, run, , address, to, member, grace, from, sealed] = values as string[];
    const at = key(workspace, run, address);
    const row = database.intents.get(at);
    const isFree =
      row &&
      row.outcome === null &&
      (row.sender === to || (row.sender === from && database.isGone(row.member, Number(grace))));
    if (!row || !isFree) return [{ taken: 0 }];
    const taker = { sender: to as string, member: member as string, sealed: row.sealed + sealed };
    database.intents.set(at, { ...row, ...taker, since: database.now() });
    return [{ taken: 1 }];
  },
  "UPDATE evenkeel.intent SET outcome": ({ intents }, [workspace, run, address, sender, outcome]) => {
    const at = key(workspace, run, address);
    const row = intents.get(at);
    if (row && row.sender === sender && row.outcome === null) intents.set(at, { ...row, outcome: String(outcome) });
    return nothing;
  },
  "DELETE FROM evenkeel.intent WHERE workspace = $1 AND run = $2 AND address": (
    { intents },
    [workspace, run, address, sender],
  ) => {
    const at = key(workspace, run, address);
    const row = intents.get(at);
    if (row && row.sender === sender && row.outcome === null) intents.delete(at);
    return nothing;
  },
  "SELECT address, outcome, sealed FROM evenkeel.intent": ({ intents }, [workspace, run]) =>
    [...intents.values()]
      .filter((row) => row.workspace === workspace && row.run === run)
      .map(({ address, outcome, sealed }) => ({ address, outcome, sealed })),

  "INSERT INTO evenkeel.part": (database, [workspace, run, part, result]) => {
    const at = key(workspace, run, part);
    const row = { workspace, run, part, result, since: database.now() } as PartRow;
    if (!database.parts.has(at)) database.parts.set(at, row);
    return nothing;
  },
  "WITH gone AS (DELETE FROM evenkeel.part": ({ parts }, [workspace, run, taken]) => {
    for (const part of taken as string[]) parts.delete(key(workspace, run, part));
    return [...parts.values()]
      .filter((row) => row.workspace === workspace && row.run === run)
      .slice(0, 50)
      .map(({ part, result }) => ({ part, result }));
  },
  "DELETE FROM evenkeel.part": (database, [workspace, run]) => forget(database, database.parts, workspace, run),
  "DELETE FROM evenkeel.intent WHERE workspace = $1 AND (run": (database, [workspace, run]) =>
    forget(database, database.intents, workspace, run),

  "INSERT INTO evenkeel.rate …, clock_timestamp()) + $2": (database, [name, milliseconds]) => {
    const now = database.now();
    const before = database.rates.get(String(name));
    const reserved = Math.max(before ?? now, now) + Number(milliseconds);
    database.rates.set(String(name), reserved);
    return [{ until: reserved - now }];
  },
  "INSERT INTO evenkeel.rate …, clock_timestamp() + $2": (database, [name, milliseconds]) => {
    const until = database.now() + Number(milliseconds);
    database.rates.set(String(name), Math.max(database.rates.get(String(name)) ?? until, until));
    return nothing;
  },

  "DELETE FROM evenkeel.rate": () => nothing,
};

function linesOf(lines: Database["lines"], workspace: unknown, log: unknown) {
  return [...lines.values()]
    .filter((row) => row.workspace === workspace && row.log === log)
    .map(({ name, content }) => ({ name, content }));
}

function forget(
  database: Database,
  rows: Map<string, { readonly workspace: string; readonly run: string; readonly since: number }>,
  workspace: unknown,
  run: unknown,
): readonly Row[] {
  for (const [at, row] of rows) {
    if (row.workspace === workspace && (row.run === run || row.since < database.now() - day)) rows.delete(at);
  }
  return nothing;
}
