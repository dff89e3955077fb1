import { type SessionSettings, sessionSettingsOf } from "../agent/turn/live-session.ts";
import type { Store } from "../store/store.ts";
import type { SentInto } from "../store/turns/announcement.ts";

/** The conversation that goes on where something is said, as the agent's next turn there would find it. */
export async function sentInto(store: Store, agent: string, now: Date): Promise<SentInto> {
  const { across, idleHours } = sessionsOf((await store.agents.find(agent))?.settings.sessions, agent);
  if (idleHours === undefined) return { across };
  return { across, idleSince: new Date(now.getTime() - idleHours * 3_600_000).toISOString() };
}

/** It was said: settings that cannot be read, and stop the next turn, are no reason to say it again. */
function sessionsOf(settings: unknown, agent: string): SessionSettings {
  try {
    return sessionSettingsOf(settings, `The settings of “${agent}”`, "bad-settings");
  } catch {
    return {};
  }
}
