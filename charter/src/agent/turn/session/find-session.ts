import type { Scope } from "../../../amend/amendment.ts";
import type { Receiver } from "../../../delivery/receiver.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { Store } from "../../../store/store.ts";
import type { Session } from "../../../store/turns/session.ts";
import type { SessionSettings } from "./session-settings.ts";

type FindSessionOptions = {
  readonly store: Store;
  readonly receiver: Receiver;
  readonly settings: SessionSettings;
  readonly clock: () => Date;
};

/** What a turn asks for: a session's id or “new”, and the channel it comes by. */
type AskedSession = { readonly session?: string | undefined; readonly channel?: string | undefined };

/**
 * The session a turn belongs to: the one it names; a new one, where it asks for that or the newest was idle for too long;
 * or the newest of its channel. One that is not gone on with stays open, for whoever comes back to it by its id.
 */
export async function findSession(options: FindSessionOptions, scope: Scope, asked: AskedSession): Promise<Session> {
  const { store, receiver, settings } = options;
  const { session, because } = await openSession(options, scope, asked);
  const channel = settings.across ? null : asked.channel;
  return session ?? store.sessions.open({ scope, receiver: receiver.name, channel, because });
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
