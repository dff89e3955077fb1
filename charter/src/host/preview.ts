import { patience } from "../agent/timeout.ts";
import type { Given } from "../charters/declared-turn.ts";
import { assemble } from "../prompt/assemble.ts";
import { gather } from "../prompt/gather.ts";
import type { Prompt } from "../prompt/prompt.ts";
import type { Room } from "../prompt/room.ts";
import type { Readings } from "../prompt/source.ts";

/** Gathered and assembled: the prompt of what was given. */
export async function promptOf(given: Given, room: Room, seconds?: number): Promise<Prompt> {
  return promptFrom(given, await readingsOf(given, seconds), room);
}

export function readingsOf({ charter, turn }: Given, seconds = 10): Promise<Readings> {
  return gather(charter, turn, patience(seconds));
}

/** The same where everything was gathered before. */
export function promptFrom({ charter, notices }: Given, readings: Readings, room: Room): Prompt {
  const prompt = assemble(charter, readings, room);
  return notices.length === 0 ? prompt : { ...prompt, notices: [...notices, ...prompt.notices] };
}
