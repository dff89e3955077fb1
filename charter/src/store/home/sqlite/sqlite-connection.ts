import type { DatabaseSync, StatementSync } from "node:sqlite";
import { createBoundedMap } from "../../../prompt/bounds.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { Database, Reach, SqlDialect } from "../database.ts";
import { joinQueries, listOf, type Query, raw, sql } from "../sql.ts";
import type { Table } from "../table.ts";
import { addScopeFunctions, fenced, type ScopeSeat } from "./sqlite-fence.ts";
import { addSealFunctions } from "./sqlite-seals.ts";
import { type ConnectionTriggers, createTriggers } from "./sqlite-triggers.ts";

/** One opening of the file. */
export type Connection = {
  readonly handle: DatabaseSync;
  /** The database as this reach may see it; asked for anew by whoever works with the connection next. */
  readonly through: (reach: Reach) => Database;
  readonly begin: StatementSync;
  readonly commit: StatementSync;
  readonly triggers: ConnectionTriggers;
  /** The tables that statements have named since, and may have written. */
  readonly touched: Set<string>;
  /** A number that every commit of others moves, and none of this connection. */
  readonly dataVersion: () => unknown;
};

/** `file`: where the database of this name lies; messages call it by its name. */
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
    // What people say to an agent is read by its owner alone; the files SQLite keeps beside it have the same rights.
    closeSync(openSync(file, "a", 0o600));
  }
  if (path !== ":memory:" && statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new Problem("unreadable", `${path} is a folder.`, "Name a file in it, as in .charter/charter.db.");
  const handle = openHandle(file);
  // What was acknowledged is on the disk, also when the power goes.
  handle.exec("pragma synchronous = full");
  addSealFunctions(handle);
  const [begin, commit] = [handle.prepare("begin"), handle.prepare("commit")];
  const triggers = createTriggers(handle);
  const seat: ScopeSeat = { scope: undefined };
  addScopeFunctions(handle, seat);
  const touched = new Set<string>();
  const [whole, scoped] = [false, true].map((isScoped) => databaseOf(handle, { tables, triggers, touched, isScoped }));
  const through = (reach: Reach) => {
    seat.scope = reach === "everything" ? undefined : reach;
    return (reach === "everything" ? whole : scoped) as Database;
  };
  let version: StatementSync | undefined;
  const dataVersion = () => {
    version ??= handle.prepare("pragma data_version");
    return version.get()?.data_version;
  };
  return { handle, through, begin, commit, triggers, touched, dataVersion };
}

/**
 * The file, opened. In a folder that nothing can be written to (a snapshot, another's project) it is opened for reading:
 * SQLite wants files of its own beside it, even to read. Where there are none nobody has it open, and it is read as it lies.
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
  readonly isScoped: boolean;
};

/** A statement, and the marked tables that it may write. */
type Prepared = { readonly statement: StatementSync; readonly writes: readonly string[] };

function databaseOf(handle: DatabaseSync, { tables, triggers, touched, isScoped }: DatabaseOptions): Database {
  const byName = new Map(tables.map((one) => [one.name, one]));
  const prepare = (text: string): Prepared => {
    // Whatever reads or writes a table names it, in whichever letters.
    const named = [...new Set(text.toLowerCase().match(/\w+/g))].flatMap((word) => byName.get(word) ?? []);
    const isReading = /^\s*select\b/i.test(text);
    if (!isReading) triggers.notice(text, named);
    // For a bare parameter there, SQLite would prepare the statement anew each time it is run.
    const lasting = text.replaceAll(/\blimit \?/g, "limit (? + 0)");
    const marked = isReading ? [] : named.filter(({ isMarked }) => isMarked);
    const statement = handle.prepare(isScoped ? fenced(lasting, named) : lasting);
    return { statement, writes: marked.map(({ name }) => name) };
  };
  const known = createBoundedMap<string, Prepared>(300);
  const byTexts = new WeakMap<Query["texts"], Prepared>();
  const preparedFor = (texts: Query["texts"]): Prepared => {
    const same = byTexts.get(texts);
    if (same) return same;
    const text = texts.join("?");
    const one = known.get(text) ?? prepare(text);
    known.set(text, one);
    byTexts.set(texts, one);
    return one;
  };
  const prepared = ({ texts }: Query): StatementSync => {
    const { statement, writes } = preparedFor(texts);
    for (const name of writes) touched.add(name);
    return statement;
  };
  return {
    dialect: sqliteDialect,
    all: async <Row>(query: Query) => prepared(query).all(...query.values) as Row[],
    one: async <Row>(query: Query) => prepared(query).get(...query.values) as Row | undefined,
    run: async (query) => Number(prepared(query).run(...query.values).changes),
    each: async function* <Row>(query: Query) {
      yield* prepare(query.texts.join("?")).statement.iterate(...query.values) as Iterable<Row>;
    },
  };
}

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
  // To join bytes there is only the function that joins texts; it takes them as they are.
  joinedBytes: (column) => sql`cast(group_concat(${raw(column)}, '') as blob)`,
  rowSeal: (columns) => raw(`row_seal(${columns.join(", ")})`),
  hasStem: ({ agent, user = "" }, stems) => {
    const whose = Buffer.from(`${agent}\u001f${user}`).toString("hex");
    const either = stems.map((stem) => `"${stem}"`).join(" OR ");
    return sql`number in (select rowid from memories_search
      where memories_search match ${`scope:"${whose}" AND stems:(${either})`})`;
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

/** Whose a turn is, as a word that stands among its words and can be none of them: no text holds its first letter. */
function ownerWord(agent: string, user?: string): string {
  return `\ue000${Buffer.from(user === undefined ? agent : `${agent}\u001f${user}`).toString("hex")}`;
}
