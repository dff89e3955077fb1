import type { Scope } from "../../amend/amendment.ts";
import { anyValue, checkOptions, checkText, type FieldChecks, isObject, isText } from "../../prompt/argument.ts";
import { requireAgent } from "../agents.ts";
import type { StoreDeps } from "../deps.ts";
import type { Database, Reach } from "../home/database.ts";
import { sql } from "../home/sql.ts";
import { checkScope } from "../scope.ts";
import {
  findSession,
  insertSession,
  type ListSessionsOptions,
  latestSession,
  type Session,
  type SessionFilter,
  type SessionReason,
  touchSession,
} from "./session.ts";
import { countSessions, countSingleSessions, listSessions, type SessionOverview } from "./session-list.ts";
import { type NewestTurn, newestTurn, type SessionTurn, turnsOfSession, turnsSince } from "./session-turns.ts";

/** `store.sessions`: series of turns that share a cached prefix. */
export type Sessions = {
  /** Opens a session. `ended`: for one turn only. */
  readonly open: (session: {
    scope: Scope;
    receiver: string;
    channel?: string | null | undefined;
    baseline?: unknown;
    ended?: boolean;
    because?: SessionReason | null;
  }) => Promise<Session>;
  readonly get: (id: string, reach?: Reach) => Promise<Session>;
  /** Records that the session was used, and its new baseline. */
  readonly touch: (id: string, baseline?: unknown) => Promise<Session>;
  readonly end: (id: string) => Promise<Session>;
  /**
   * The newest session that has not ended: of this channel (or of all of them), or, without one, of any. null: only those
   * that are of all channels.
   */
  readonly latest: (scope: Scope, channel?: string | null) => Promise<Session | undefined>;
  /** The most recently used first, each with what its turns come to and what was first said; not those of one turn only. */
  readonly list: (about?: ListSessionsOptions) => Promise<SessionOverview[]>;
  /** How many `list` has in all. */
  readonly count: (about?: SessionFilter) => Promise<number>;
  /** How many of one turn only there are besides, which no list has. */
  readonly countSingle: (about?: SessionFilter) => Promise<number>;
  /**
   * All its turns, oldest first: from the beginning, after one turn, or from one on. Among them those of schedules whose
   * replies were sent into this chat (`told`).
   */
  readonly history: (
    id: string,
    about?: { readonly after?: string | undefined; readonly from?: string | undefined },
    reach?: Reach,
  ) => Promise<SessionTurn[]>;
  /** The ids of the turns opened in it, or told there, after this one, oldest first. */
  readonly since: (id: string, turn: string, reach?: Reach) => Promise<string[]>;
  /** Shows whether others took turns since its history was read. */
  readonly newestTurn: (id: string, reach?: Reach) => Promise<NewestTurn | undefined>;
};

const newSessionChecks: FieldChecks<Parameters<Sessions["open"]>[0]> = {
  scope: [isObject, "Give { agent }, or { agent, user }: names."],
  receiver: [isText, "Give the receiver's name: receiver.name."],
  channel: anyValue,
  baseline: anyValue,
  ended: anyValue,
  because: anyValue,
};

export function createSessions(deps: StoreDeps): Sessions {
  const { home, now, newId } = deps;
  const get = (id: string, reach: Reach = "everything") => home.read(reach, (db) => findSession(db, id, reach));
  const change = async (id: string, work: (db: Database, scope: Scope) => Promise<unknown>) => {
    const { scope } = await get(id);
    return home.write(scope, async (db) => {
      await work(db, scope);
      return findSession(db, id);
    });
  };
  return {
    get,
    open: async (session) => {
      checkOptions("store.sessions.open", session, newSessionChecks);
      const { scope, receiver, channel = null, baseline = null, ended = false, because } = session;
      checkScope(scope);
      return home.write(scope, async (db) => {
        await requireAgent(db, scope.agent);
        const [id, at] = [newId(), now()];
        return insertSession(db, { id, scope, receiver, channel, because, baseline, at, endedAt: ended ? at : null });
      });
    },
    touch: (id, baseline) =>
      change(id, (db, scope) => touchSession(db, { id, scope }, now(), { touch: true, baseline })),
    end: (id) => change(id, (db) => db.run(sql`update sessions set ended_at = ${now()} where id = ${id}`)),
    latest: (scope, channel) => home.read(scope, (db) => latestSession(db, scope, channel)),
    list: (about = {}) => listSessions(deps, about),
    count: (about = {}) => countSessions(deps, about),
    countSingle: (about = {}) => countSingleSessions(deps, about),
    history: async (id, { after, from } = {}, reach = "everything") => {
      checkText("store.sessions.history", id);
      return home.read(reach, (db) => turnsOfSession(db, { session: id, after, from, reach }));
    },
    since: (id, turn, reach = "everything") => home.read(reach, (db) => turnsSince(db, id, turn, reach)),
    newestTurn: (id, reach = "everything") => home.read(reach, (db) => newestTurn(db, id, reach)),
  };
}
