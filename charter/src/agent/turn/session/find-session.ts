import type { Scope } from "../../../amend/amendment.ts";
import type { Receiver } from "../../../delivery/receiver.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { Store } from "../../../store/store.ts";
import type { Session } from "../../../store/turns/sessions.ts";
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
export async function findSession(
  { store, receiver, settings, clock }: FindSessionOptions,
  scope: Scope,
  { session: wanted, channel: asked }: AskedSession,
): Promise<Session> {
  if (wanted !== undefined && wanted !== "new") {
    const session = await store.sessions.get(wanted);
    checkSession(session, scope);
    return session;
  }
  const channel = settings.across ? null : asked;
  const latest = await store.sessions.latest(scope, channel);
  const idle = latest !== undefined && isIdle(latest, settings, clock());
  if (latest && wanted === undefined && !idle) return latest;
  const because = latest ? (wanted === "new" ? "new" : "idle") : null;
  return store.sessions.open({ scope, receiver: receiver.name, channel, because });
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
