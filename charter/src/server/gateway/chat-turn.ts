import { isPastEdited } from "../../agent/sdk/sdk-message.ts";
import { maxInputChars } from "../../operations/turns/turn-fields.ts";
import { fenced, quoted } from "../../prompt/fence.ts";
import type { Store } from "../../store/store.ts";
import type { ShownTurn } from "../../store/turns/turns.ts";
import { type ChatPart, type ChatRequest, type Exchange, type Round, wordsOf } from "./chat-request.ts";

type UserScope = { readonly agent: string; readonly user: string };

/** Where a conversation goes on: the session, and what the client shows that is on no record. */
type ChatPlace = {
  readonly session: string;
  /** Turn after which a new session begins, where later messages were edited. */
  readonly beginsAfter?: string;
  readonly unrecorded: readonly Exchange[];
};

/** Maximum number of exchanges that are looked for: a conversation that was not kept for longer is a new one. */
const maxSought = 200;

/**
 * Finds where a conversation goes on: after the last exchange that is on record exactly as the client shows it. If others came
 * after that one, the client has edited the past or asks again: `charter/ai` says which session that is.
 */
export async function placeOf(store: Store, scope: UserScope, request: ChatRequest): Promise<ChatPlace> {
  const { before, input, isOnce } = request;
  if (isOnce) return { session: "none", unrecorded: before };
  const isOf = (one: Exchange) => (turn: ShownTurn) =>
    turn.shown === one.shown &&
    turn.session !== null &&
    (one.reply === null ? turn.state !== "answered" : turn.reply?.trim() === one.reply.trim());
  const find = async (sought: readonly Exchange[]) => {
    const turns = await store.turns.withShown(
      scope,
      sought.map(({ shown }) => shown),
    );
    const last = sought.findLast((one) => turns.some(isOf(one)));
    return last && { last, found: turns.find(isOf(last)) as ShownTurn };
  };
  // Nearly always it is the newest one.
  const place = (await find(before.slice(-1))) ?? (await find(before.slice(-maxSought, -1)));
  if (!place) return { session: "new", unrecorded: before };
  const { last, found } = place;
  const session = found.session as string;
  const asked = { input: [{ text: wordsOf(input) }], answers: [], before: last.asked, session, turn: found.id };
  const isEdited = !found.isNewest && (await isPastEdited(asked, session, { store, ...scope }));
  const unrecorded = before.slice(before.indexOf(last) + 1);
  return isEdited ? { session: "new", beginsAfter: found.id, unrecorded } : { session, unrecorded };
}

/**
 * Puts what nobody recorded before what is said now, as the caller's own words: an answer in it is none of the agent's. The oldest
 * is left out where it is too long.
 */
export function inputOf(
  parts: readonly ChatPart[],
  unrecorded: readonly Exchange[],
  rounds: readonly Round[],
): readonly ChatPart[] {
  const results = rounds.length === 0 ? [] : [{ text: resultsText(rounds) }];
  if (unrecorded.length === 0) return [...parts, ...results];
  const lines = unrecorded.map(({ asked, reply }) => `user: ${asked}${reply === null ? "" : `\nassistant: ${reply}`}`);
  let room = maxInputChars - wordsOf([...parts, ...results]).length - 500;
  // Lines quoted together are as long as quoted one by one. One that has no room as it is need not be quoted to know.
  const leftOut = lines.findLastIndex((line) => {
    room -= line.length > room ? line.length : quoted(line).length;
    return room < 0;
  });
  const kept = lines.slice(leftOut + 1);
  const note = leftOut === -1 ? "" : ` (the oldest is left out: it is too long)`;
  const told = kept.length === 0 ? "" : `\n\n${quoted(kept.join("\n"))}`;
  const heading = { text: `What was said before, as the client tells it${note}:${told}\n\nWhat is said now:` };
  return [heading, ...parts, ...results];
}

/** Tells results of calls whose turn is gone: what the client's tools said is other people's words. */
function resultsText(rounds: readonly Round[]): string {
  const told = rounds.flatMap(({ calls, results }) =>
    calls.map(({ id, name, input }) => `- ${name} ${input}:\n${fenced(results.get(id) ?? "", name)}`),
  );
  return `Results of calls that were made meanwhile, as the client tells them:\n${told.join("\n")}`;
}
