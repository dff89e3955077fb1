import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Scope } from "../../../amend/amendment.ts";
import { createBoundedMap } from "../../../prompt/bounds.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { Database, Reach, SqlDialect } from "../database.ts";
import { joinQueries, listOf, type Query, type Row, raw, sql, type Value } from "../sql.ts";
import type { Table } from "../table.ts";
import { defaultOf, fenceOf, isSealed, ownerWords, type RowChange, sealedColumns } from "../table-statements.ts";

/** A connection to the file. */
export type Connection = {
  readonly handle: DatabaseSync;
  /** Returns the database with this reach; each user of the connection calls it again. */
  readonly through: (reach: Reach) => Database;
  readonly begin: StatementSync;
  readonly beginWriting: StatementSync;
  /** Says whether the next commits wait for the disk. One that does brings those before it there, too. */
  readonly sync: (isSynced: boolean) => void;
  readonly commit: StatementSync;
  readonly triggers: ConnectionTriggers;
  /** Tables named by the statements since, which may have written them. */
  readonly touched: Set<string>;
  /** Notes a rollback: the triggers that were made meanwhile are gone, and so are rows. */
  readonly undo: () => void;
  /** Returns a number that changes with every commit of other connections, and with none of this one. */
  readonly dataVersion: () => unknown;
};

/** Opens a connection. `file` is where the database of this name is; messages use the name. */
export function connect(path: string, create: boolean, tables: readonly Table[], file = path): Connection {
  const { closeSync, existsSync, mkdirSync, openSync, statSync } = process.getBuiltinModule("node:fs");
  const { dirname } = process.getBuiltinModule("node:path");
  if (path.trim() === "")
    throw new Problem("bad-database", "The database has no name.", "Give a file, as in .charter/charter.db.");
  if (path !== ":memory:" && !existsSync(file)) {
    if (!create)
      throw new Problem(
        "no-database",
        `There is no database at ${path}.`,
        "Make one with `charter agents add`, or name another with --database.",
      );
    mkdirSync(dirname(file), { recursive: true });
    // Rights for the owner alone, because it holds what people say to an agent; SQLite gives the files beside it the same rights.
    closeSync(openSync(file, "a", 0o600));
  }
  if (path !== ":memory:" && statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new Problem("unreadable", `${path} is a folder.`, "Name a file in it, as in .charter/charter.db.");
  const handle = openHandle(file);
  // A file is made with small pages: whatever a turn touches is logged as whole pages. The log is copied into the file when it has
  // 4 MB, as it is with pages of the usual size.
  handle.exec("pragma page_size = 2048; pragma wal_autocheckpoint = 2000; pragma synchronous = full");
  let isWaiting = true;
  const sync = (isSynced: boolean) => {
    if (isSynced === isWaiting) return;
    handle.exec(`pragma synchronous = ${isSynced ? "full" : "normal"}`);
    isWaiting = isSynced;
  };
  addSealFunctions(handle);
  const [begin, commit] = [handle.prepare("begin"), handle.prepare("commit")];
  const beginWriting = handle.prepare("begin immediate");
  const triggers = createTriggers(handle);
  const seat: ScopeSeat = { scope: undefined };
  addScopeFunctions(handle, seat);
  const touched = new Set<string>();
  let version: StatementSync | undefined;
  const dataVersion = () => {
    if (version === undefined) {
      version = handle.prepare("pragma data_version");
      version.setReturnArrays(true);
    }
    return (version.get() as unknown as Values)[0];
  };
  let removals = 0;
  const rowsMark = () => `${dataVersion()} ${removals}`;
  const noteRemoval = () => {
    removals++;
  };
  const parts = { tables, triggers, touched, rowsMark, noteRemoval };
  const [whole, scoped] = [undefined, seat].map((of) => databaseOf(handle, { ...parts, seat: of }));
  const through = (reach: Reach) => {
    seat.scope = reach === "everything" ? undefined : reach;
    return (reach === "everything" ? whole : scoped) as Database;
  };
  const undo = () => {
    noteRemoval();
    triggers.undo();
  };
  return { handle, through, begin, beginWriting, sync, commit, triggers, touched, undo, dataVersion };
}

/**
 * Opens the file. In a folder that cannot be written to (a snapshot, another user's project) it is opened for reading only.
 * SQLite needs files of its own beside it even to read; where there are none, nobody has it open, and it is opened as immutable.
 */
function openHandle(path: string): DatabaseSync {
  const builtIn: { DatabaseSync: typeof DatabaseSync } | undefined = process.getBuiltinModule?.("node:sqlite");
  if (builtIn === undefined)
    throw new Problem("node-too-old", `Node ${process.versions.node} has no SQLite.`, "Use Node 22.18 or newer.");
  const { existsSync } = process.getBuiltinModule("node:fs");
  const { DatabaseSync: Handle } = builtIn;
  const timeout = 5000;
  if (path === ":memory:" || mayWriteBeside(path)) return new Handle(path, { timeout });
  if (existsSync(`${path}-wal`)) return new Handle(path, { timeout, readOnly: true });
  const asItLies = process.getBuiltinModule("node:url").pathToFileURL(path);
  asItLies.searchParams.set("immutable", "1");
  return new Handle(asItLies, { timeout, readOnly: true });
}

function mayWriteBeside(path: string): boolean {
  const { accessSync, constants } = process.getBuiltinModule("node:fs");
  try {
    accessSync(process.getBuiltinModule("node:path").dirname(path), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

type DatabaseOptions = {
  readonly tables: readonly Table[];
  readonly triggers: ConnectionTriggers;
  readonly touched: Set<string>;
  readonly rowsMark: () => string;
  readonly noteRemoval: () => void;
  /** The scope that statements are fenced in; none: they see everything. */
  readonly seat: ScopeSeat | undefined;
};

/** A statement, the marked tables that it may write, and the values of the scope that come before its own. */
type Prepared = {
  readonly statement: StatementSync;
  readonly writes: readonly string[];
  readonly removes: boolean;
  readonly fence: readonly (keyof Scope)[];
  /** Names of the columns of its rows. */
  columns?: readonly string[];
};

function databaseOf(
  handle: DatabaseSync,
  { tables, triggers, touched, rowsMark, noteRemoval, seat }: DatabaseOptions,
): Database {
  const byName = new Map(tables.map((one) => [one.name, one]));
  const prepare = (text: string): Prepared => {
    // Every statement names the tables it reads or writes, in upper or lower case.
    const namedTables = [...new Set(text.toLowerCase().match(/\w+/g))].flatMap((word) => byName.get(word) ?? []);
    const isReading = /^\s*select\b/i.test(text);
    if (!isReading) triggers.notice(text, namedTables);
    // SQLite would prepare a statement with a bare parameter there anew each time it is run.
    const lasting = text.replaceAll(/\blimit \?/g, "limit (? + 0)");
    const marked = isReading ? [] : namedTables.filter(({ isMarked }) => isMarked);
    const { words, fence } = seat ? fenced(lasting, namedTables) : { words: lasting, fence: [] };
    const statement = handle.prepare(words);
    statement.setReturnArrays(true);
    return { statement, fence, writes: marked.map(({ name }) => name), removes: writes.delete.test(text) };
  };
  const known = createBoundedMap<string, Prepared>(300);
  const byTexts = new WeakMap<Query["texts"], Prepared>();
  const preparedFor = (texts: Query["texts"]): Prepared => {
    const cached = byTexts.get(texts);
    if (cached) return cached;
    const text = texts.join("?");
    const one = known.get(text) ?? prepare(text);
    known.set(text, one);
    byTexts.set(texts, one);
    return one;
  };
  const withFence = ({ fence }: Prepared, values: Query["values"]): Query["values"] => {
    if (fence.length === 0) return values;
    const { agent, user } = ownerOf(seat?.scope);
    const all: Value[] = fence.map((what) => (what === "agent" ? agent : user));
    for (const value of values) all.push(value);
    return all;
  };
  const noted = ({ texts }: Query): Prepared => {
    const prepared = preparedFor(texts);
    for (const name of prepared.writes) touched.add(name);
    if (prepared.removes) noteRemoval();
    return prepared;
  };
  return {
    dialect: sqliteDialect,
    rowsMark,
    all: async <Row>(query: Query) => {
      const prepared = noted(query);
      const rows = prepared.statement.all(...withFence(prepared, query.values)) as unknown as Values[];
      return rows.map((values) => rowOf(prepared, values)) as Row[];
    },
    one: async <Row>(query: Query) => {
      const prepared = noted(query);
      const values = prepared.statement.get(...withFence(prepared, query.values)) as Values | undefined;
      return values && (rowOf(prepared, values) as Row);
    },
    run: async (query) => {
      const prepared = noted(query);
      return Number(prepared.statement.run(...withFence(prepared, query.values)).changes);
    },
    send: (query) => {
      const prepared = noted(query);
      prepared.statement.run(...withFence(prepared, query.values));
      return done;
    },
    each: async function* <Row>({ texts, values }: Query) {
      // A statement of its own: while its rows are read one by one, others may ask the same.
      const own = prepare(texts.join("?"));
      for (const one of own.statement.iterate(...withFence(own, values)) as unknown as Iterable<Values>)
        yield rowOf(own, one) as Row;
    },
  };
}

const done = Promise.resolve();

type Values = readonly Value[];

/** Names the values of a row. SQLite's driver makes each name anew for each row, which takes longer than most statements. */
function rowOf(prepared: Prepared, values: Values): Row {
  // Another process may have added a column since.
  if (prepared.columns?.length !== values.length)
    prepared.columns = prepared.statement.columns().map(({ name }) => name);
  const row: Record<string, Value> = {};
  for (let at = 0; at < values.length; at++)
    row[(prepared.columns as readonly string[])[at] as string] = values[at] as Value;
  return row;
}

/** Query for what is there, in one row: the versions of all owners, and the columns of every table that is not a search index. */
export const lookWords = `select (select application_id from pragma_application_id) as application,
  (select user_version from pragma_user_version) as version,
  (select json_group_array(json_object('owner', owner, 'version', version, 'least_reader', least_reader))
    from schema_version) as versions,
  (select json_group_object(name, (select group_concat(name, ' ') from pragma_table_info(m.name))) from sqlite_master m
    where type = 'table' and sql not like 'create virtual%' and name not like 'sqlite_%'
      and name not like '%_search_%') as tables`;

const sqliteDialect: SqlDialect = {
  name: "sqlite",
  lock: () => undefined,
  hold: () => undefined,
  skipLocked: raw(""),
  announced: (insert) => sql`${insert} returning id`,
  insert: (table, { text, number }, rows) => {
    const names = [...text, ...number];
    const each = rows.map((row) => listOf(names.map((name) => row[name] ?? null)));
    return sql`insert into ${raw(table)} (${raw(names.join(", "))}) values ${joinQueries(each, ", ")}`;
  },
  bytewise: raw(""),
  lockTable: () => undefined,
  lockTableShared: () => undefined,
  secureDelete: raw("pragma secure_delete = on"),
  contains: (column, words) => sql`instr(${raw(column)}, ${words}) > 0`,
  listed: (column) => sql`json_group_array(${raw(column)})`,
  // Joining bytes is only possible with the function that joins texts; it takes them as they are.
  joinedBytes: (column) => sql`cast(group_concat(${raw(column)}, '') as blob)`,
  rowSeal: (made) => raw(rowSealOf(made)),
  look: raw(lookWords),
  hasStem: ({ agent, user = "" }, stems) => {
    const ownerHex = Buffer.from(`${agent}\u001f${user}`).toString("hex");
    const either = stems.map((stem) => `"${stem}"`).join(" OR ");
    return sql`number in (select rowid from memories_search
      where memories_search match ${`scope:"${ownerHex}" AND stems:(${either})`})`;
  },
  keepWords: ({ id, scope: { agent, user = "" }, words }) => {
    const all = [ownerWord(agent), ownerWord(agent, user), ...words].join(" ");
    return [
      sql`insert into turn_words (turn, agent, user_id) values (${id}, ${agent}, ${user}) on conflict (turn) do nothing`,
      sql`replace into turns_search (rowid, words) select number, ${all} from turn_words where turn = ${id}`,
    ];
  },
  turnsWithWords: ({ agent, user }, words) => {
    const owner = agent === undefined ? [] : [`"${ownerWord(agent, user)}"`];
    const match = [...owner, ...words.map((word) => `"${word}" *`)].join(" AND ");
    return sql`select turn from turn_words where number in (select rowid from turns_search
      where turns_search match ${match})`;
  },
  millisSince: (column, until) =>
    sql`cast(round((julianday(${until}) - julianday(${raw(column)})) * 86400000) as integer)`,
};

/**
 * Returns a word for a turn's owner, which stands among the turn's words: no text contains its first letter, so it cannot be one
 * of them.
 */
function ownerWord(agent: string, user?: string): string {
  return `\ue000${Buffer.from(user === undefined ? agent : `${agent}\u001f${user}`).toString("hex")}`;
}

/** Triggers of one connection: the fence of what it writes in a scope, and the seals that follow what it writes. */
type ConnectionTriggers = {
  /** Prepares for a transaction. Migrations are not followed: `areMade` says whether all tables exist. */
  readonly begin: (areMade: () => boolean) => void;
  /** Prepares for a statement that names these tables, and may write one of them. */
  readonly notice: (statement: string, tables: readonly Table[]) => void;
  /** Notes a rollback, which removed the triggers that were made meanwhile. */
  readonly undo: () => void;
};

/** Words that show what a statement may do to rows, whatever else they mean in it. */
const writes: Readonly<Record<RowChange, RegExp>> = {
  insert: /\b(?:insert|replace)\b/i,
  update: /\bupdate\b/i,
  delete: /\bdelete\b/i,
};

/** Creates the triggers of a table when it is first written in that way, because creating all of them takes some milliseconds. */
function createTriggers(handle: DatabaseSync): ConnectionTriggers {
  const made = new Map<string, string>();
  let isFollowing = false;
  let isUndone = false;
  const renew = () => {
    for (const triggers of made.values()) handle.exec(triggers);
  };
  return {
    begin: (areMade) => {
      isFollowing ||= areMade();
      if (isUndone) renew();
      isUndone = false;
    },
    notice: (statement, tables) => {
      if (!isFollowing) return;
      const kinds = (Object.keys(writes) as RowChange[]).filter((kind) => writes[kind].test(statement));
      for (const one of tables)
        for (const kind of kinds) {
          const key = `${kind} ${one.name}`;
          if (made.has(key)) continue;
          const triggers = triggersOf(one, kind);
          handle.exec(triggers);
          made.set(key, triggers);
        }
    },
    undo: () => {
      if (handle.isTransaction) renew();
      else isUndone = true;
    },
  };
}

/** Returns the triggers of a table for one kind of change. */
export function triggersOf(made: Table, kind: RowChange): string {
  return `${fenceTriggers(made)[kind]}${isSealed(made) ? sealTriggers(made)[kind] : ""}`;
}

/**
 * Fence of a scope in SQLite, which has no row-level security: in a statement, a table's name means only the rows that may be
 * seen, and triggers of the connection refuse all other writes.
 */
const [agent, user] = ["scope_agent()", "scope_user()"] as const;

/** The scope that a connection works for at present; none: it sees everything. */
type ScopeSeat = { scope: Scope | undefined };

/** Returns the owner of a scope's rows as the tables have it; without a scope, nobody. */
function ownerOf(scope: Scope | undefined): { readonly agent: string | null; readonly user: string } {
  return { agent: scope?.agent ?? null, user: scope?.user ?? "" };
}

function addScopeFunctions(handle: DatabaseSync, seat: ScopeSeat): void {
  handle.function("scope_agent", { deterministic: true }, () => ownerOf(seat.scope).agent);
  handle.function("scope_user", { deterministic: true }, () => ownerOf(seat.scope).user);
}

/**
 * Rewrites a statement for a scope: the names of tables in it mean the rows that may be seen of them. The scope is in parameters
 * before the statement's own, in the order of `fence`: a function of the connection is asked anew each time, from outside SQLite.
 */
function fenced(statement: string, tables: readonly Table[]): { words: string; fence: readonly (keyof Scope)[] } {
  for (const one of tables.filter(isClosed)) throw new Error(`No scope reaches the table ${one.name}.`);
  const replaced = /\breplace\s+into\W+(\w+)/.exec(statement.toLowerCase())?.[1];
  if (around.test(statement) || tables.some(({ name }) => name === replaced))
    throw new Error(`In a scope no statement goes around its fence: ${statement}`);
  const fence: (keyof Scope)[] = [];
  const views = tables.map((made) => {
    const see = fenceOf(made, "?agent", "?user").see.replaceAll(/\?(agent|user)/g, (_, what: keyof Scope) => {
      fence.push(what);
      return "?";
    });
    // Most rows of a file are its one agent's: the planner shall look for what a query names itself.
    const likely = see.replaceAll(/\bagent = \?/g, "likely($&)");
    return `${made.name} as not materialized (select * from main.${made.name} where ${likely})`;
  });
  if (views.length === 0) return { words: statement, fence };
  const [before = "", own] = /^\s*(?:explain query plan )?(with(?: recursive)?\b)?/i.exec(statement) ?? [];
  const rest = statement.slice(before.length);
  return { words: `${before}${own ? "" : "with"} ${views.join(", ")}${own ? "," : " "}${rest}`, fence };
}

/**
 * Patterns that get around the fence: names of the real tables, SQLite's own tables, and what removes rows without their
 * triggers.
 */
const around = /\b(?:main|temp)\b\W*\.|\bsqlite_|_search_(?:data|idx|content|docsize|config)\b|\bor\s+replace\b/i;

/** Tells whether a table is the operator's alone. Seals are among these: what updates them in a scope passes no fence. */
function isClosed(made: Table): boolean {
  return Object.values(fenceOf(made, agent, user)).every((rule) => rule === "false");
}

/**
 * Returns the triggers of the fence: changes and removals of other owners' rows are ignored, as if those were not there;
 * insertions are refused.
 */
function fenceTriggers(made: Table): Readonly<Record<RowChange, string>> {
  if (isClosed(made)) return { insert: "", update: "", delete: "" };
  const { name } = made;
  const { add, change, remove } = fenceOf(made, agent, user);
  const columns = new RegExp(`\\b(?:${made.all.map(({ column }) => column).join("|")})\\b`, "g");
  const of = (row: string, rule: string) => `(${rule.replace(columns, `${row}.$&`)})`;
  const trigger = (what: string, event: string, rule: string, does: string) =>
    `create temp trigger if not exists fenced_${name}_${what} before ${event} on main.${name}
      when ${rule} and ${agent} is not null begin select raise(${does}); end;`;
  const outside = `abort, 'a row of ${name} is outside the scope it is written in'`;
  // Columns that can move a row out of its scope; the trigger does not run for changes of others.
  const moving = [...new Set(change.match(columns))].join(", ");
  // SQLite does not say which of two triggers is first, so a row that is not seen is not moved either.
  const isMoved = `${of("old", change)} and ${of("new", change)} is not true`;
  const moved = moving === "" ? "" : trigger("moved", `update of ${moving}`, isMoved, outside);
  return {
    insert: trigger("added", "insert", `${of("new", add)} is not true`, outside),
    update: `${trigger("unseen", "update", `${of("old", change)} is not true`, "ignore")}${moved}`,
    delete: trigger("removed", "delete", `${of("old", remove)} is not true`, "ignore"),
  };
}

export type SqlValue = null | string | bigint | Uint8Array;

/** Adds the SQL functions for seals. */
function addSealFunctions(handle: DatabaseSync): void {
  const how = { deterministic: true, useBigIntArguments: true } as const;
  handle.function("row_seal", { ...how, varargs: true }, ((plan: SqlValue, ...values: SqlValue[]) =>
    String(rowSeal(plan, values))) as never);
  // A digest that somebody changed to nonsense is left as it is: `verify` reports it, and writing goes on.
  handle.function("seal_sum", how, ((digest: string, by: bigint, seal: string) =>
    /^-?\d+$/.test(digest) ? String(BigInt(digest) + by * BigInt(seal)) : digest) as never);
}

let hash: typeof import("node:crypto").hash | undefined;

/** Sealed columns of the tables that this process seals: a statement names them by number, to pass values alone. */
const sealPlans: (readonly { readonly column: string; readonly usual: SqlValue | undefined }[])[] = [];
const planNumbers = new WeakMap<Table, number>();

function planNumberOf(made: Table): number {
  const known = planNumbers.get(made);
  if (known !== undefined) return known;
  const plan = sealedColumns(made).map((one) => {
    const usual = defaultOf(one);
    return { column: one.column, usual: typeof usual === "number" ? BigInt(usual) : usual };
  });
  const number = sealPlans.push(plan) - 1;
  planNumbers.set(made, number);
  return number;
}

/**
 * Computes a row's seal as a number: half of the SHA-256 of its values that are not the default, each with its name, its type and
 * its length.
 */
function rowSeal(plan: SqlValue, values: readonly SqlValue[]): bigint {
  let words = "";
  (sealPlans[Number(plan)] ?? []).forEach(({ column, usual }, at) => {
    const value = values[at] as SqlValue;
    if (value !== usual) words += `${column} ${sealWord(value)}`;
  });
  return sealNumber(words);
}

/** Returns a value with its type and length. */
export function sealWord(value: SqlValue): string {
  const word = typeof value === "object" && value !== null ? Buffer.from(value).toString("hex") : String(value);
  return value === null ? "-" : `${typeof value} ${word.length}:${word}`;
}

export function sealNumber(words: string): bigint {
  hash ??= process.getBuiltinModule("node:crypto").hash;
  return BigInt(`0x${hash("sha256", words, "hex").slice(0, 32)}`);
}

/**
 * Returns the triggers by which the seals follow what this connection writes, in the same commit. Other programs' writes leave
 * the seals as they were.
 */
function sealTriggers(made: Table): Readonly<Record<RowChange, string>> {
  const { name } = made;
  const trigger = (what: string, event: string, when: string, ...changes: readonly string[]) =>
    `create temp trigger if not exists sealed_${name}_${what} after ${event} on main.${name} ${when} begin ${changes.join("")} end;`;
  const changed = `update of ${sealedColumns(made).map(({ column }) => column)}`;
  const [before, after] = [ownerWords(made, "old."), ownerWords(made, "new.")];
  const isSameOwner = `(${before.join(", ")}) = (${after.join(", ")})`;
  const leaves = counted(made, before, -1, sealSum("'0'", -1, rowSealOf(made, "old")));
  const enters = counted(made, after, 1, sealSum("'0'", 1, rowSealOf(made, "new")));
  const differs = sealSum(sealSum("'0'", -1, rowSealOf(made, "old")), 1, rowSealOf(made, "new"));
  const updated = trigger("updated", changed, `when ${isSameOwner}`, counted(made, after, 0, differs));
  const moved = trigger("moved", changed, `when not ${isSameOwner}`, leaves, enters, emptied(made));
  return {
    insert: trigger("added", "insert", "", enters),
    update: updated + moved,
    delete: trigger("removed", "delete", "", leaves, emptied(made)),
  };
}

function rowSealOf(made: Table, row?: "old" | "new"): string {
  const values = sealedColumns(made).map(({ column }) => (row === undefined ? column : `${row}.${column}`));
  return `row_seal(${[planNumberOf(made), ...values].join(", ")})`;
}

function sealSum(digest: string, by: 1 | -1, seal: string): string {
  return `seal_sum(${digest}, ${by}, ${seal})`;
}

/** Adds rows, and their sum, to the seal of an owner. */
function counted(made: Table, [agent, user]: readonly string[], rows: 1 | 0 | -1, sum: string): string {
  return `insert into seals (agent, user_id, what, count, digest) values (${agent}, ${user}, '${made.name}', ${rows}, ${sum})
    on conflict (agent, user_id, what) do update set count = count + ${rows}, digest = seal_sum(digest, 1, excluded.digest);`;
}

/** Deletes the seal of an owner who has no rows left, so that not even the name remains. */
function emptied(made: Table): string {
  const [agent, user] = ownerWords(made, "old.");
  return `delete from seals where agent = ${agent} and user_id = ${user} and what = '${made.name}'
    and count = 0 and digest = '0';`;
}
