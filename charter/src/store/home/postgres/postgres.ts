import type { Pool, PoolClient, PoolConfig, QueryConfig, QueryResult } from "pg";
import type { PgBoss } from "pg-boss";
import { loadPackage } from "../../../packages/load-package.ts";
import { checkNames } from "../../../prompt/argument.ts";
import { createBoundedMap } from "../../../prompt/bounds.ts";
import { Problem } from "../../../prompt/problem.ts";
import { missingProblem, storeSchema, versionOf } from "../../schema.ts";
import {
  type Database,
  type Home,
  type Job,
  type Jobs,
  type Look,
  type OnError,
  type Reach,
  storeClosed,
} from "../database.ts";
import { createPlaces, createRoom, defaultPatienceMs } from "../queue.ts";
import type { Query } from "../sql.ts";
import type { Schema } from "../table-statements.ts";
import {
  commitUnknown,
  connectionLost,
  connectTimeoutMs,
  listenForEvents,
  postgresProblem,
} from "./postgres-problem.ts";
import {
  literal,
  lookFrom,
  lookWords,
  marksOf,
  type PostgresRow,
  postgresDialect,
  role,
  sealWrites,
} from "./postgres-schema.ts";

/** Options for a home on PostgreSQL. */
export type PostgresOptions = {
  /** Maximum number of connections of this process; 10, unless given. */
  readonly connections?: number;
  /** Maximum time that a query waits for a connection, in milliseconds; a minute, unless given. */
  readonly patience?: number;
  /** Tables of the database: the store's own, unless given (see `withTables`). */
  readonly schema?: Schema;
};

/** Opens a PostgreSQL database as the home of a store: for several machines. The database itself keeps users' rows apart. */
export function postgres(url: string, options: PostgresOptions = {}): Home {
  checkNames<PostgresOptions>("postgres", options, ["connections", "patience", "schema"]);
  const { connections = 10, patience = defaultPatienceMs, schema = storeSchema } = options;
  // Charter's tables alone: the database may have others.
  const ownTables = schema.tables.map(({ name }) => `charter.${name}`).join(", ");
  const place = placeOf(url);
  // Tells who brings the database on which schema this process works with.
  const application = `charter ${versionOf(schema)} ${process.getBuiltinModule("node:os").hostname()}:${process.pid}`;
  // Limit in front of the pool, which counts waiting for a connection as time in which the server did not answer.
  const places = createPlaces(connections, `connections to PostgreSQL at ${place}`, patience);
  let pool: Promise<Pool> | undefined;
  let closed = false;
  const opened = () => {
    pool ??= openPool(url, connections, application);
    return pool;
  };
  const running = new Set<Promise<unknown>>();
  const attempt = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (closed) throw storeClosed(place);
    const result = work();
    running.add(result);
    try {
      return await result;
    } catch (error) {
      throw error instanceof Problem ? error : await problemOf(error);
    } finally {
      running.delete(result);
    }
  };
  // Only where no table is left, all is gone.
  const problemOf = async (error: unknown): Promise<unknown> => {
    if (!/^(?:42P01|42703|3F000)$/.test((error as { code?: string }).code ?? "")) return postgresProblem(error, place);
    const server = await opened();
    const any = await server.query("select from pg_class where relnamespace = to_regnamespace('charter') limit 1");
    if (any.rowCount === 0) return postgresProblem(error, place);
    const seen = await lookAt(server, schema).catch(() => undefined);
    return (seen && missingProblem({ place, schema }, seen)) ?? error;
  };
  const withConnection = <Result>(work: (server: Pool) => Promise<Result>): Promise<Result> =>
    attempt(() => places(async () => work(await opened())));
  const inTransaction = <Result>(
    opening: string,
    work: (db: Database, client: PoolClient) => Promise<Result>,
    writes = true,
  ): Promise<Result> =>
    withConnection(async (server) => {
      for (let tries = 1; ; tries++) {
        const client = await server.connect();
        const { ask, send, database } = converse(client);
        let committing = false;
        let lost = false;
        let isStale = false;
        try {
          send(`begin; set local search_path to charter; ${opening}`);
          const result = await work(database, client);
          committing = writes;
          // Whoever has read everything need not wait for the end; the next statement on this connection comes after it.
          if (writes) await ask("commit");
          else send("commit");
          return result;
        } catch (error) {
          lost = connectionLost(error);
          if (lost && committing) throw commitUnknown(place);
          if (!lost) await client.query("rollback").catch(() => {});
          isStale = planIsStale(error);
          if (tries >= 8 || !(lost || isStale || mayBeTriedAgain(error))) throw error;
        } finally {
          client.release(lost || isStale);
        }
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * tries));
      }
    });

  const write: Home["write"] = (reach, work) => room.noted(inTransaction(`${sealWrites}${reachWords(reach)}`, work));
  const room = createRoom(write);
  const integrity: Home["integrity"] = () => withConnection(async (server) => (await upkeep()).integrityOf(server));
  return {
    name: "postgres",
    place,
    schema,
    read: async (reach, work) =>
      inTransaction(`set transaction isolation level repeatable read, read only;${reachWords(reach)}`, work, false),
    write,
    // An unreachable server is reported by the read that follows.
    mark: (tables) =>
      withConnection(async (server) => {
        const { rows } = await server.query<{ mark: string | null }>(marksOf(tables));
        return rows[0]?.mark ?? "";
      }).catch(() => undefined),
    watch: (wake) => attempt(() => listenForEvents(url, application, wake)),
    look: () => withConnection((server) => lookAt(server, schema)),
    migrate: () =>
      inTransaction(`set local lock_timeout = ${lockTimeoutMs}`, async (db) => {
        const look = await (await upkeep()).migrateDatabase(db, place, schema);
        return { from: look?.versions.get("store")?.version ?? 0, to: versionOf(schema) };
      }),
    vacuum: () =>
      withConnection(async (server) => {
        await server.query(`vacuum (full, analyze) ${ownTables}`);
      }),
    scrub: () =>
      withConnection(async (server) => {
        await server.query(`vacuum ${ownTables}`);
        // Word indexes keep a word when the last note or turn with it is gone.
        for (const index of ["memories_search", "turns_search"]) await server.query(`reindex index charter.${index}`);
        return true;
      }),
    checkup: async () => {
      const damage = await integrity();
      return inTransaction(
        "set transaction read only",
        async (db) => (await upkeep()).checkServer(db, schema, damage),
        false,
      );
    },
    integrity,
    // Commits are with the server, wherever that is: it says itself when it is not there.
    storageLost: () => undefined,
    lacksRoom: room.lacking,
    jobs: (trouble) =>
      attempt(async () => {
        return pgBossJobs(url, place, trouble);
      }),
    close: async () => {
      closed = true;
      await Promise.allSettled(running);
      await (await pool)?.end();
      pool = undefined;
    },
  };
}

/** What makes and checks a database: most processes do neither. */
const upkeep = () => import("./postgres-upkeep.ts");

async function lookAt(server: Pool, schema: Schema): Promise<Look | undefined> {
  try {
    const { rows } = await server.query<PostgresRow>(lookWords);
    return lookFrom(rows[0] as PostgresRow, schema);
  } catch (error) {
    if ((error as { code?: string }).code === "42P01") return undefined;
    throw error;
  }
}

/** Maximum time that a migration waits for a lock: whoever waits for a table keeps everyone behind it waiting. */
const lockTimeoutMs = 10_000;

async function openPool(url: string, connections: number, name: string): Promise<Pool> {
  const { default: pg } = await loadPackage("pg", { purpose: "PostgreSQL" });
  const parsers = (oid: number, format?: "text" | "binary") =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as "text");
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: name,
    // Statements go to the server before those before them are answered.
    pipeline: true,
    types: { getTypeParser: parsers as typeof pg.types.getTypeParser },
  } satisfies PoolConfig & { readonly pipeline: true } as PoolConfig);
  // A connection that dies while nobody uses it is replaced when the next one is asked for.
  pool.on("error", () => {});
  // A connection that dies while it is used fails its query; between two queries it must not end the process.
  pool.on("connect", (client) => {
    client.on("error", () => {});
  });
  return pool;
}

let cursors = 0;

/** A query's text, how often this process ran it, and the name under which connections keep it parsed and planned. */
type Statement = { readonly text: string; times: number; name?: string };

const byTexts = new WeakMap<Query["texts"], Statement>();
const byText = createBoundedMap<string, Statement>(1000);
/** Maximum number of named statements: a server keeps each, some 50 KB, on every connection until that is closed. */
const maxNames = 200;
let names = 0;

function statementOf({ texts, values }: Query): Statement {
  const text =
    byTexts.get(texts)?.text ?? texts.reduce((all, part, at) => (at === 0 ? part : `${all}$${at}${part}`), "");
  const statement = byTexts.get(texts) ?? byText.get(text) ?? { text, times: 0 };
  byTexts.set(texts, statement);
  byText.set(text, statement);
  // Names are for statements that are run several times; a text of several statements cannot have one, and has no values.
  if (++statement.times === 3 && values.length > 0 && names < maxNames) statement.name = `charter_${++names}`;
  return statement;
}

type Conversation = {
  readonly ask: (statement: string | QueryConfig) => Promise<QueryResult>;
  readonly send: (statement: string | QueryConfig) => Promise<void>;
  readonly database: Database;
};

/**
 * Begins a transaction's conversation with the server. Statements are sent at once and answered in their order; the first that
 * fails is why the others do, and why the commit undoes all.
 */
function converse(client: PoolClient): Conversation {
  let failure: { readonly error: unknown } | undefined;
  const ask: Conversation["ask"] = async (statement) => {
    try {
      const result = await client.query(statement);
      if (statement === "commit" && result.command !== "COMMIT")
        throw new Error("A transaction in which a statement failed cannot be kept.");
      return result;
    } catch (error) {
      failure ??= { error };
      throw failure.error;
    }
  };
  const send: Conversation["send"] = (statement) => {
    const done = ask(statement).then(() => {});
    done.catch(() => {});
    return done;
  };
  return { ask, send, database: databaseOf(ask, send) };
}

function databaseOf(ask: Conversation["ask"], send: Conversation["send"]): Database {
  const given = (query: Query) => {
    const { text, name } = statementOf(query);
    return { text, name, values: query.values as unknown[] };
  };
  const run = (query: Query) => ask(given(query));
  return {
    dialect: postgresDialect,
    send: (query) => send(given(query)),
    all: async <Row>(query: Query) => (await run(query)).rows as Row[],
    one: async <Row>(query: Query) => (await run(query)).rows[0] as Row | undefined,
    run: async (query) => (await run(query)).rowCount ?? 0,
    each: async function* <Row>(query: Query) {
      const cursor = `each_${++cursors}`;
      send({ text: `declare ${cursor} no scroll cursor for ${statementOf(query).text}`, values: [...query.values] });
      for (;;) {
        const { rows } = await ask(`fetch 500 from ${cursor}`);
        yield* rows as Row[];
        if (rows.length < 500) break;
      }
      send(`close ${cursor}`);
    },
  };
}

/** Returns the statements that put a transaction into the role which sees this scope and nothing else. */
function reachWords(reach: Reach): string {
  if (reach === "everything") return "";
  return ` set local role ${role};
    select set_config('charter.agent', ${literal(reach.agent)}, true), set_config('charter.user', ${literal(reach.user ?? "")}, true)`;
}

/**
 * Tells whether to try again, after a deadlock or a race for a key: the transaction was rolled back, and no caller has seen its
 * results.
 */
function mayBeTriedAgain(error: unknown): boolean {
  return ["40001", "40P01", "23505"].includes((error as { code?: string }).code ?? "");
}

/** Tells whether a table was altered since this connection planned a named statement: a new connection plans it again. */
function planIsStale(error: unknown): boolean {
  const { code, routine } = error as { code?: string; routine?: string };
  return code === "0A000" && routine === "RevalidateCachedQuery";
}

/**
 * Returns the address without its password, so that it can be shown. An address that names a socket in its query has no host
 * before it.
 */
export function placeOf(url: string): string {
  const nowhere = "a.socket.of.charter.invalid";
  const written = /^postgres(?:ql)?:\/\//.test(url) ? url.replace("@/", `@${nowhere}/`) : "";
  const shown = URL.parse(written);
  if (!shown)
    throw new Problem(
      "bad-database",
      "The PostgreSQL address is not a URL.",
      "Write it as postgres://user:password@host:5432/database.",
    );
  if (shown.password !== "") shown.password = "***";
  for (const name of ["password", "sslpassword"]) if (shown.searchParams.has(name)) shown.searchParams.set(name, "***");
  return shown.href.replace(nowhere, "");
}

const queue = "charter-runs";

/**
 * Maximum number of connections of pg-boss, of which it has one for itself; the limit in front of it keeps waiting for one from
 * counting as waiting for the server.
 */
const maxConnections = 3;

/** Seconds of silence after which a worker is taken for dead, and its job given to another. */
const heartbeatSeconds = 30;

/**
 * Creates jobs on pg-boss, in a schema of its own beside the store's that the first worker creates: any number of workers share
 * them. There is one queue, and one job for each try of a run: pg-boss counts no tries, and stores no text of anyone.
 */
async function pgBossJobs(url: string, place: string, trouble: OnError): Promise<Jobs> {
  const { PgBoss } = await loadPackage("pg-boss", { purpose: "A worker on PostgreSQL" });
  const boss = new PgBoss({
    connectionString: url,
    application_name: "charter-jobs",
    max: maxConnections,
    schedule: false,
    superviseIntervalSeconds: 10,
  });
  // A lost connection would end the process without a listener. It comes back by itself.
  boss.on("error", trouble);
  const places = createPlaces(maxConnections - 1, `connections for jobs to PostgreSQL at ${place}`);
  const attempt = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await places(work);
    } catch (error) {
      throw error instanceof Problem ? error : postgresProblem(error, place);
    }
  };
  await attempt(() => startBoss(boss));
  return {
    offer: async (runs) => {
      if (runs.length === 0) return;
      const jobs = runs.map(({ id, tries }) => ({ data: { run: id }, singletonKey: `${id}/${tries}` }));
      await attempt(() => boss.insert(queue, jobs));
    },
    claim: (most) =>
      attempt(async () => {
        const jobs = await boss.fetch<{ run: string }>(queue, { batchSize: most });
        return jobs.map(
          (job): Job => ({
            run: job.data.run,
            heartbeat: async () => {
              await attempt(() => boss.touch(queue, job));
            },
            complete: async () => {
              await attempt(() => boss.complete(queue, job));
            },
          }),
        );
      }),
    close: () => boss.stop({ graceful: false }),
  };
}

async function startBoss(boss: PgBoss): Promise<void> {
  try {
    await boss.start();
    // Each try that waits or is worked on has one job. A job whose worker died is given out again as often as needed.
    const options = { policy: "exclusive", retryLimit: 100, retryDelay: 0, heartbeatSeconds } as const;
    await boss.createQueue(queue, { ...options, expireInSeconds: 23 * 3600, deleteAfterSeconds: 3600 });
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {});
    throw error;
  }
}
