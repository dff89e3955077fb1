import { scopeOf } from "../event.ts";
import type { Home } from "../home/database.ts";
import { pageOf } from "../home/page.ts";
import { reachOf } from "../home/reach.ts";
import { raw, sql } from "../home/sql.ts";
import type { ListSessionsOptions, Session, SessionRow } from "./session.ts";

/** A session as lists show it: how many turns it has, and the first words that were said in it. */
export type SessionOverview = Omit<Session, "baseline"> & {
  readonly turns: number;
  /** Its first input, cut where it is long; null where nothing was said in it, or that was erased. */
  readonly firstInput: string | null;
};

type OverviewRow = Omit<SessionRow, "baseline"> & { turns: number; first_input: string | null };

const firstChars = 200;

/** One that ended when it began was for one turn only. */
export async function listSessions(
  home: Home,
  { agent, user, channel, open = false, ...page }: ListSessionsOptions,
): Promise<SessionOverview[]> {
  const { limit, offset } = pageOf(page);
  // They stand in an index, for names that are no longer than names are.
  const own = raw("t.session = s.id and length(t.session) <= 200");
  return home.read(reachOf(agent, user), async (db) => {
    const rows =
      await db.all<OverviewRow>(sql`select s.id, s.agent, s.user_id, s.receiver, s.stands_in_for, s.channel, s.because,
        s.started_at, s.last_at, s.ended_at, (select count(*) from turns t where ${own}) as turns,
        (select substr(t.input, 1, ${firstChars}) from turns t where ${own} order by t.started_at, t.id limit 1)
          as first_input
      from sessions s where ${open ? raw("s.ended_at is null") : raw("(s.ended_at is null or s.ended_at <> s.started_at)")}
        ${agent === undefined ? raw("") : sql`and s.agent = ${agent}`}
        ${user === undefined ? raw("") : sql`and s.user_id = ${user}`}
        ${channel === undefined ? raw("") : sql`and s.channel = ${channel}`}
      order by s.last_at desc, s.id desc limit ${limit} offset ${offset}`);
    return rows.map(overviewOf);
  });
}

function overviewOf(row: OverviewRow): SessionOverview {
  const { id, receiver, channel, because, started_at, last_at, ended_at, turns, first_input } = row;
  return {
    ...{ id, scope: scopeOf(row), receiver, channel, because },
    ...(row.stands_in_for === null ? {} : { standsInFor: row.stands_in_for }),
    ...{ startedAt: started_at, lastAt: last_at, endedAt: ended_at },
    ...{ turns: Number(turns), firstInput: first_input === "" ? null : first_input },
  };
}
