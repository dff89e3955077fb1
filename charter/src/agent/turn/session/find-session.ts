import type { Scope } from "../../../amend/amendment.ts";
import type { Receiver } from "../../../delivery/receiver.ts";
import { isRecord } from "../../../prompt/argument.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { Store } from "../../../store/store.ts";
import type { Session } from "../../../store/turns/session.ts";

type FindSessionOptions = {
  readonly store: Store;
  readonly receiver: Receiver;
  readonly settings: SessionSettings;
  readonly clock: () => Date;
};

/** What a turn asks for: a session's id or “new”, the turn a new one goes on from, and the channel it comes by. */
export type AskedSession = {
  readonly session?: string | undefined;
  readonly beginsAfter?: string | undefined;
  readonly channel?: string | undefined;
};

/**
 * The session a turn belongs to: the one it names; a new one, where it asks for that or the newest was idle for too long;
 * or the newest of its channel. One that is not gone on with stays open, for whoever comes back to it by its id.
 */
export async function findSession(options: FindSessionOptions, scope: Scope, asked: AskedSession): Promise<Session> {
  const { store, receiver, settings } = options;
  const { session, because } = await openSession(options, scope, asked);
  const channel = settings.across ? null : asked.channel;
  const { beginsAfter } = asked;
  return session ?? store.sessions.open({ scope, receiver: receiver.name, channel, because, beginsAfter });
}

/** The same for whoever only looks: nothing is opened. Undefined: the turn would open a new one. */
export async function peekSession(
  options: FindSessionOptions,
  scope: Scope,
  asked: AskedSession,
): Promise<Session | undefined> {
  return (await openSession(options, scope, asked)).session;
}

type OpenSession =
  | { readonly session: Session; readonly because?: undefined }
  | { readonly session?: undefined; readonly because: Session["because"] };

/** One that the turn goes on with, or why it needs a new one. */
async function openSession(
  { store, settings, clock }: FindSessionOptions,
  scope: Scope,
  { session: wanted, channel }: AskedSession,
): Promise<OpenSession> {
  if (wanted !== undefined && wanted !== "new") {
    const session = await store.sessions.get(wanted);
    checkSession(session, scope);
    return { session };
  }
  const latest = await store.sessions.latest(scope, settings.across ? null : channel);
  const idle = latest !== undefined && isIdle(latest, settings, clock());
  if (latest && wanted === undefined && !idle) return { session: latest };
  return { because: latest ? (wanted === "new" ? "new" : "idle") : null };
}

/** Was its last request too long ago for it to go on by itself? */
export function isIdle({ lastAt }: Pick<Session, "lastAt">, { idleHours }: SessionSettings, now: Date): boolean {
  return idleHours !== undefined && now.getTime() - Date.parse(lastAt) > idleHours * 3_600_000;
}

export function checkSession({ id, scope, endedAt }: Session, asked: Scope): void {
  if (scope.agent !== asked.agent || scope.user !== asked.user)
    throw new Problem("unknown-session", `There is no session “${id}” here.`, "Check the id, the agent and the user.");
  if (endedAt !== null) throw new Problem("session-ended", `The session “${id}” ended ${endedAt}.`, "Start a new one.");
}

/** How an agent's turns are put into sessions, where nobody names one. */
export type SessionSettings = {
  /** A session whose last request is older than this does not go on: the next turn opens a new one. */
  readonly idleHours?: number | undefined;
  /** One session for all of a user's channels. Each turn says which one it came by. */
  readonly across?: boolean | undefined;
};

/** Reads the settings; what is wrong with them is named. `of`: whose they are, for the message. */
export function sessionSettingsOf(given: unknown, of: string, code = "bad-argument"): SessionSettings {
  const wrong = (what: string, hint: string) => new Problem(code, `${of}: ${what}.`, hint);
  if (given === undefined || given === null) return {};
  if (!isRecord(given)) throw wrong("“sessions” is no object", example);
  const { idleHours, across, ...others } = given;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw wrong(`“sessions” has no “${unknown}”`, example);
  if (!isGiven(idleHours)) return { across: flagOf(across) };
  if (typeof idleHours !== "number" || !(idleHours > 0) || !Number.isFinite(idleHours))
    throw wrong(
      `“sessions.idleHours” is ${JSON.stringify(idleHours)}`,
      "Give a number of hours above 0, or leave it out.",
    );
  return { idleHours, across: flagOf(across) };

  function flagOf(value: unknown): boolean | undefined {
    if (!isGiven(value)) return undefined;
    if (typeof value === "boolean") return value;
    throw wrong(`“sessions.across” is ${JSON.stringify(value)}`, "Give true or false.");
  }
}

const example = "Give { idleHours: 12, across: true }, or one of the two.";

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
