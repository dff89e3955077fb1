import { patience } from "../agent/patience.ts";
import { createAssemble } from "../prompt/assembly.ts";
import type { Charter } from "../prompt/charter.ts";
import { gather } from "../prompt/gather.ts";
import type { Prompt } from "../prompt/prompt.ts";
import type { Room } from "../prompt/room.ts";
import type { Readings } from "../prompt/source.ts";
import type { Given } from "./given.ts";

/** Gathered and assembled: the prompt of what was given. */
export async function promptOf(given: Given, room: Room, seconds?: number): Promise<Prompt> {
  return promptFrom(given, await readingsOf(given, seconds), room);
}

export function readingsOf({ charter, turn }: Given, seconds = 10): Promise<Readings> {
  return gather(charter, turn, patience(seconds));
}

/** The same where everything was gathered before. */
export async function promptFrom({ charter, notices }: Given, readings: Readings, room: Room): Promise<Prompt> {
  const prompt = await assembleLightly(charter, readings, room);
  return notices.length === 0 ? prompt : { ...prompt, notices: [...notices, ...prompt.notices] };
}

/**
 * The Markdown parser is a third of a bare Node's start, and most words hold nothing for it to find: it is loaded when
 * assembling asks for it.
 */
async function assembleLightly(charter: Charter, readings: Readings, room: Room): Promise<Prompt> {
  const parserNeeded = Symbol("parser needed");
  try {
    return createAssemble(() => {
      throw parserNeeded;
    })(charter, readings, room);
  } catch (reason) {
    if (reason !== parserNeeded) throw reason;
    return (await import("../prompt/assemble.ts")).assemble(charter, readings, room);
  }
}
