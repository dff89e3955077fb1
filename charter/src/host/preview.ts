import { sourceTimeout } from "../agent/limits.ts";
import type { PromptFit } from "../agent/turn/turn-prompt.ts";
import type { DeclaredTurn } from "../charters/declared-turn.ts";
import { assemble, type Room } from "../prompt/assemble.ts";
import { gather } from "../prompt/gather.ts";
import type { Prompt } from "../prompt/prompt.ts";
import type { Readings } from "../prompt/reading.ts";

/** A turn to show, and the window its prompt has to fit into, if known. */
export type FittedTurn = DeclaredTurn & { readonly within?: PromptFit };

/** Gathers and assembles a prompt as the turn would: in the edition that fits unless one is asked for, and cut where it has to be. */
export async function previewPrompt(given: FittedTurn, room: Room, seconds?: number): Promise<Prompt> {
  const readings = await gatherReadings(given, seconds);
  const { tokenizer } = room;
  if (!given.within || !tokenizer) return assembleReadings(given, readings, room);
  const { fittingPrompt } = await import("../agent/turn/turn-prompt.ts");
  const { prompt } = fittingPrompt(given.charter, readings, { ...room, tokenizer }, given.within);
  return withNotices(given, prompt);
}

export function gatherReadings(
  { charter, turn, limits }: DeclaredTurn,
  seconds = limits?.sourceSeconds ?? 10,
): Promise<Readings> {
  return gather(charter, turn, sourceTimeout(seconds));
}

/** Assembles a prompt from readings that were gathered before. */
export function assembleReadings(given: DeclaredTurn, readings: Readings, room: Room): Prompt {
  return withNotices(given, assemble(given.charter, readings, room));
}

function withNotices({ notices }: DeclaredTurn, prompt: Prompt): Prompt {
  return notices.length === 0 ? prompt : { ...prompt, notices: [...notices, ...prompt.notices] };
}
