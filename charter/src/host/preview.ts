import { sourceTimeout } from "../agent/timeout.ts";
import type { DeclaredTurn } from "../charters/declared-turn.ts";
import { assemble } from "../prompt/assemble.ts";
import { gather } from "../prompt/gather.ts";
import type { Prompt } from "../prompt/prompt.ts";
import type { Room } from "../prompt/room.ts";
import type { Readings } from "../prompt/source.ts";

/** Gathered and assembled: the prompt of what was given. */
export async function previewPrompt(given: DeclaredTurn, room: Room, seconds?: number): Promise<Prompt> {
  return assembleReadings(given, await gatherReadings(given, seconds), room);
}

export function gatherReadings({ charter, turn, limits }: DeclaredTurn, seconds = limits?.sourceSeconds ?? 10): Promise<Readings> {
  return gather(charter, turn, sourceTimeout(seconds));
}

/** The same where everything was gathered before. */
export function assembleReadings({ charter, notices }: DeclaredTurn, readings: Readings, room: Room): Prompt {
  const prompt = assemble(charter, readings, room);
  return notices.length === 0 ? prompt : { ...prompt, notices: [...notices, ...prompt.notices] };
}
