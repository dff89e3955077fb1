import type { Scope } from "../amend/amendment.ts";
import { Problem } from "../prompt/problem.ts";
import { agentNamed } from "./agents.ts";
import { scopeOf } from "./event.ts";
import type { Database, Reach } from "./home/database.ts";
import { within } from "./home/reach.ts";
import { sql } from "./home/sql.ts";
import type { Parts } from "./parts.ts";
import { checkScope } from "./scope.ts";

/** A run of turns with one receiver that share a cached prefix. `baseline` is delivery's own to read. */
export type Session = {
  readonly id: string;
  readonly scope: Scope;
  readonly receiver: string;
  readonly baseline: unknown;
  readonly startedAt: string;
  readonly lastAt: string;
  readonly endedAt: string | null;
};

export type Sessions = {
  readonly open: (session: { scope: Scope; receiver: string; baseline?: unknown }) => Promise<Session>;
  readonly get: (id: string, reach?: Reach) => Promise<Session>;
  /** Says that the session was used, and with what baseline it goes on. */
  readonly touch: (id: string, baseline?: unknown) => Promise<Session>;
  readonly end: (id: string) => Promise<Session>;
  /** The newest session with this receiver that has not ended. */
  readonly latest: (scope: Scope, receiver: string) => Promise<Session | undefined>;
};

type SessionRow = {
  id: string;
  agent: string;
  user_id: string;
  receiver: string;
  baseline: string;
  started_at: string;
  last_at: string;
  ended_at: string | null;
};

function sessionOf(row: SessionRow): Session {
  const { id, receiver, started_at, last_at, ended_at } = row;
  const times = { startedAt: started_at, lastAt: last_at, endedAt: ended_at };
  return { id, scope: scopeOf(row), receiver, baseline: JSON.parse(row.baseline), ...times };
}

export function createSessions({ home, now, newId }: Parts): Sessions {
  const get = (id: string, reach: Reach = "everything") => home.read(reach, (db) => find(db, id, reach));
  const change = async (id: string, work: (db: Database) => Promise<unknown>) => {
    const { scope } = await get(id);
    return home.write(scope, async (db) => {
      await work(db);
      return find(db, id);
    });
  };
  return {
    get,
    open: async ({ scope, receiver, baseline = null }) => {
      checkScope(scope);
      return home.write(scope, async (db) => {
        await agentNamed(db, scope.agent);
        const [id, at] = [newId(), now()];
        await db.run(sql`insert into sessions (id, agent, user_id, receiver, baseline, started_at, last_at)
          values (${id}, ${scope.agent}, ${scope.user ?? ""}, ${receiver}, ${JSON.stringify(baseline)}, ${at}, ${at})`);
        return find(db, id);
      });
    },
    touch: (id, baseline) =>
      change(id, (db) =>
        db.run(
          baseline === undefined
            ? sql`update sessions set last_at = ${now()} where id = ${id}`
            : sql`update sessions set last_at = ${now()}, baseline = ${JSON.stringify(baseline)} where id = ${id}`,
        ),
      ),
    end: (id) => change(id, (db) => db.run(sql`update sessions set ended_at = ${now()} where id = ${id}`)),
    latest: (scope, receiver) =>
      home.read(scope, async (db) => {
        const row = await db.one<SessionRow>(sql`select * from sessions where agent = ${scope.agent}
          and user_id = ${scope.user ?? ""} and receiver = ${receiver} and ended_at is null
          order by last_at desc, id desc limit 1`);
        return row && sessionOf(row);
      }),
  };
}

async function find(db: Database, id: string, reach: Reach = "everything"): Promise<Session> {
  const row = await db.one<SessionRow>(sql`select * from sessions where id = ${id}${within(reach)}`);
  if (row) return sessionOf(row);
  throw new Problem("unknown-session", `There is no session “${id}”.`, "Check the id.");
}
