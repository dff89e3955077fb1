import { nothingToReportName } from "../agent/tools/reminders.ts";
import { type SessionSettings, sessionSettingsOf } from "../agent/turn/live-session.ts";
import { Problem } from "../prompt/problem.ts";
import type { Store } from "../store/store.ts";
import type { SentInto } from "../store/turns/session.ts";
import type { Turn } from "../store/turns/turns.ts";

/** Finds a turn by its id; undefined if there is none. */
export async function findTurn(store: Store, id: string): Promise<Turn | undefined> {
  try {
    return await store.turns.get(id);
  } catch (error) {
    if (error instanceof Problem && error.code === "unknown-turn") return undefined;
    throw error;
  }
}

/**
 * Returns whether a turn reported that there is nothing to say, and why. It is read from the record, so it is the same for
 * whoever finds the turn after a crash.
 */
export async function nothingReported(
  store: Store,
  turn: string,
): Promise<{ readonly because: string | null } | undefined> {
  for (const { result } of await store.steps.of(turn)) {
    const { answer, results = [] } = result ?? {};
    const report = results.find(({ name, failed }) => name === nothingToReportName && !failed);
    if (report) return { because: reasonIn(answer?.calls.find(({ id }) => id === report.call)?.input) };
  }
  return undefined;
}

function reasonIn(input = "{}"): string | null {
  try {
    const { because } = JSON.parse(input);
    return typeof because === "string" ? because : null;
  } catch {
    return null;
  }
}

/** Returns the conversation that an agent's next turn would continue, for a message that is sent into it. */
export async function sentInto(store: Store, agent: string, now: Date): Promise<SentInto> {
  const { across, idleHours } = sessionsOf((await store.agents.find(agent))?.settings.sessions, agent);
  if (idleHours === undefined) return { across };
  return { across, idleSince: new Date(now.getTime() - idleHours * 3_600_000).toISOString() };
}

/**
 * Ignores settings that cannot be read, because the message was sent already: they stop the next turn, but are no reason to send
 * it again.
 */
function sessionsOf(settings: unknown, agent: string): SessionSettings {
  try {
    return sessionSettingsOf(settings, `The settings of “${agent}”`, "bad-settings");
  } catch {
    return {};
  }
}
