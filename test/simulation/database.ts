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

export interface JournalRow {
  readonly workspace: string;
  readonly run: string;
  readonly writer: string;
  readonly position: number;
  readonly event: string;
  readonly entry: string;
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

interface TextRow {
  readonly workspace: string;
  readonly name: string;
  readonly text: string;
  readonly saved: number;
}

interface SheetRow extends Row {
  readonly workspace: string;
  readonly name: string;
  readonly content: Buffer | undefined;
}

interface RunRow {
  readonly workspace: string;
  readonly run: string;
  readonly command: string;
  readonly started: string;
  readonly summary: string;
}

interface LedgerRow {
  readonly workspace: string;
  readonly project: string;
  readonly name: string;
  readonly rest: string;
  readonly key: string;
  readonly memory: string;
}

const day = 86_400_000;

/** The tables of the schema `evenkeel`, and what its statements do to them: each whole and in one moment. */
export class Database {
  readonly leases = new Map<string, Lease>();
  readonly journal = new Map<string, JournalRow>();
  readonly members = new Map<string, MemberRow>();
  readonly intents = new Map<string, IntentRow>();
  readonly parts = new Map<string, PartRow>();
  readonly rates = new Map<string, number>();
  readonly runs = new Map<string, RunRow>();
  readonly ledger = new Map<string, LedgerRow>();
  readonly plan = new Map<string, TextRow>();
  readonly note = new Map<string, TextRow>();
  readonly snapshots = new Map<string, SheetRow>();
  readonly approvals: { readonly workspace: string; readonly run: string; readonly signature: string }[] = [];
  /** All intents that ever were. */
  readonly claimed = new Set<string>();
  /** Of the schema; 0 where nobody has made it yet. */
  version = 0;
  readonly now: () => number;

  /** `now`: milliseconds of its calendar. */
  constructor(now: () => number) {
    this.now = now;
  }

  /** @throws for a statement that it does not know: then the twin of a changed one is to be written here. */
  execute(text: string, values: Values = []): readonly Row[] {
    return (known.get(text) ?? find(text))(this, values);
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
  "SELECT name, setting, reset_val FROM pg_catalog.pg_settings": () => nothing,
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

  "WITH held AS (…INSERT INTO evenkeel.journal": (database, values) => {
    if (!database.isHeld(values)) return nothing;
    const [workspace, , , run, positions, events, entries, writer] = values as [
      string,
      string,
      number,
      string,
      number[],
      string[],
      string[],
      string,
    ];
    positions.forEach((position, index) => {
      const row = { workspace, run, writer, position, event: events[index] ?? "", entry: entries[index] ?? "" };
      const at = key(workspace, run, writer, position);
      if (!database.journal.has(at)) database.journal.set(at, row);
    });
    return yes;
  },
  "SELECT run FROM evenkeel.journal": ({ journal }, [workspace]) => firsts(journal, workspace).map((run) => ({ run })),
  "SELECT entry FROM evenkeel.journal": ({ journal }, [workspace, run]) =>
    [...journal.values()]
      .filter((row) => row.workspace === workspace && row.run === run)
      .map(({ entry }) => ({ entry })),
  "SELECT DISTINCT run FROM evenkeel.journal AS j": ({ journal }, [workspace]) => {
    const over = new Set(
      [...journal.values()].flatMap((row) =>
        row.workspace === workspace && /^(?:end|noticed)$/.test(row.event) ? row.run : [],
      ),
    );
    return firsts(journal, workspace).flatMap((run) => (over.has(run) ? [] : { run }));
  },
  "SELECT max(position) + 1 AS next FROM evenkeel.journal": ({ journal }, [workspace, run]) => {
    const own = [...journal.values()].filter(
      (row) => row.workspace === workspace && row.run === run && row.writer === "",
    );
    return [{ next: own.length > 0 ? Math.max(...own.map(({ position }) => position)) + 1 : null }];
  },

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

  "INSERT INTO evenkeel.run": ({ runs }, [workspace, run, command, started, summary]) => {
    const at = key(workspace, run);
    const before = runs.get(at);
    const row = { workspace, run, command, started, summary } as RunRow;
    runs.set(at, before ? { ...before, summary: row.summary } : row);
    return nothing;
  },
  "WITH gone AS (DELETE FROM evenkeel.plan": () => nothing,
  "DELETE FROM evenkeel.rate": ({ rates, now }, [age]) => {
    for (const [name, reserved] of rates) if (reserved < now() - Number(age)) rates.delete(name);
    return nothing;
  },
  "SELECT floor(extract(epoch FROM started) / 86400)::int AS day, count(*)": ({ runs }, [workspace]) => {
    const marks = new Map<number, string>();
    for (const { started, summary } of newestFirst(runs, workspace))
      marks.set(dayOf(started), `${marks.get(dayOf(started)) ?? ""}${summary}`);
    return [...marks].map(([day, mark]) => ({ day, mark }));
  },
  "SELECT floor(extract(epoch FROM started) / 86400)::int AS day, summary": ({ runs }, [workspace, days]) =>
    newestFirst(runs, workspace)
      .map(({ started, summary }) => ({ day: dayOf(started), summary }))
      .filter(({ day }) => (days as number[]).includes(day)),
  ...textsIn("plan", "run", "document"),
  ...textsIn("note", "name", "content"),
  "SELECT name, content FROM evenkeel.snapshot": ({ snapshots }, [workspace, names]) =>
    (names as string[]).flatMap((name) => snapshots.get(key(workspace, name)) ?? []),
  "INSERT INTO evenkeel.snapshot": ({ snapshots }, [workspace, names, contents]) => {
    (names as string[]).forEach((name, index) => {
      snapshots.set(key(workspace, name), {
        workspace: String(workspace),
        name,
        content: (contents as Buffer[])[index],
      });
    });
    return nothing;
  },
  "SELECT name FROM evenkeel.snapshot": ({ snapshots }, [workspace]) => {
    const own = [...snapshots.values()].filter((row) => row.workspace === workspace);
    return own.map(({ name }) => ({ name })).sort((a, b) => (a.name < b.name ? -1 : 1));
  },
  "INSERT INTO evenkeel.approval": ({ approvals }, [workspace, run, signature]) => {
    const row = { workspace: String(workspace), run: String(run), signature: String(signature) };
    if (!approvals.some((each) => key(...Object.values(each)) === key(...Object.values(row)))) approvals.push(row);
    return nothing;
  },
  "SELECT run, signature FROM evenkeel.approval": ({ approvals }, [workspace, runs]) =>
    approvals.filter((row) => row.workspace === workspace && (runs as string[]).includes(row.run)),

  "SELECT project, json_agg(json_build_array(name, rest, key, memory) …FROM evenkeel.ledger": (
    { ledger },
    [workspace, after],
  ) => {
    const own = [...ledger.values()].filter((row) => row.workspace === workspace && row.project > String(after));
    const projects = [...new Set(own.map(({ project }) => project))].sort().slice(0, 500);
    const rowsOf = (name: string) =>
      own.filter(({ project }) => project === name).sort((a, b) => (a.rest < b.rest ? -1 : 1));
    return projects.map((project) => ({
      project,
      rows: JSON.stringify(rowsOf(project).map((row) => [row.name, row.rest, row.key, row.memory])),
    }));
  },
  "WITH held AS (…INSERT INTO evenkeel.ledger": (database, values) => {
    if (!database.isHeld(values)) return nothing;
    const [workspace, , , id, names, rests, memories] = values as [
      string,
      string,
      number,
      string,
      string[],
      string[],
      (string | null)[],
    ];
    names.forEach((name, index) => {
      const [rest = "", memory] = [rests[index], memories[index]];
      const project = name.toLowerCase();
      const at = key(workspace, project, rest);
      if (memory == null) database.ledger.delete(at);
      else
        database.ledger.set(at, {
          workspace,
          project,
          name: database.ledger.get(at)?.name ?? name,
          rest,
          key: id,
          memory,
        });
    });
    return yes;
  },
  "SELECT (SELECT count(*) FROM evenkeel.run": ({ runs, journal, plan, approvals, ledger, note }, [workspace]) => {
    const own = <Each extends { readonly workspace: string }>(rows: Iterable<Each>) =>
      [...rows].filter((row) => row.workspace === workspace);
    const count = (rows: readonly unknown[]) => String(rows.length);
    return [
      {
        runs: count(own(runs.values())),
        journals: count(firsts(journal, workspace)),
        plans: count(own(plan.values())),
        approvals: count([...new Set(own(approvals).map(({ run }) => run))]),
        ledger: count([...new Set(own(ledger.values()).map(({ project }) => project))]),
        notes: count(own(note.values())),
        bytes: String(JSON.stringify([...own(runs.values()), ...own(journal.values())]).length),
      },
    ];
  },
};

/** Runs that have a journal of their own. */
function firsts(journal: Database["journal"], workspace: unknown): string[] {
  const own = [...journal.values()].filter(
    (row) => row.workspace === workspace && row.writer === "" && row.position === 0,
  );
  return own.map(({ run }) => run).sort();
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

function newestFirst(runs: ReadonlyMap<string, RunRow>, workspace: unknown): readonly RunRow[] {
  const own = [...runs.values()].filter((row) => row.workspace === workspace);
  return own.sort((a, b) => (key(a.started, a.run) > key(b.started, b.run) ? -1 : 1));
}

function dayOf(started: string): number {
  return Math.floor(Date.parse(started) / 86_400_000);
}

function textsIn(table: "plan" | "note", name: string, text: string): Readonly<Record<string, Statement>> {
  return {
    [`SELECT ${text} AS text FROM evenkeel.${table}`]: (database, [workspace, wanted]) => {
      const row = database[table].get(key(workspace, wanted));
      return row ? [{ text: row.text }] : nothing;
    },
    [`INSERT INTO evenkeel.${table} `]: (database, [workspace, wanted, content]) => {
      const row = { workspace: String(workspace), name: String(wanted), text: String(content), saved: database.now() };
      database[table].set(key(workspace, wanted), row);
      return nothing;
    },
    [`SELECT ${name} AS name, concat(xmin`]: (database, [workspace, names]) =>
      (names as string[]).flatMap((wanted) => {
        const row = database[table].get(key(workspace, wanted));
        return row ? [{ name: row.name, mark: row.text }] : [];
      }),
    [`SELECT ${name} AS name FROM evenkeel.${table}`]: (database, [workspace]) => {
      const own = [...database[table].values()].filter((row) => row.workspace === workspace);
      return own.map((row) => ({ name: row.name })).sort((a, b) => (a.name < b.name ? -1 : 1));
    },
  };
}
