import { isPastEdited } from "../../agent/sdk/sdk-message.ts";
import { maxInputChars } from "../../operations/turns/turn-fields.ts";
import { fenced, quoted } from "../../prompt/fence.ts";
import type { Store } from "../../store/store.ts";
import type { ShownTurn } from "../../store/turns/turns.ts";
import { checkedParts } from "../turns/take-turn.ts";
import { type ChatPart, type ChatRequest, type Exchange, plainAnswer, type Round, wordsOf } from "./chat-request.ts";

type UserScope = { readonly agent: string; readonly user: string };

/** Where a conversation goes on: the session, and what the client shows that is not in its history, oldest first. */
type ChatPlace = {
  readonly session: string;
  /** Turn after which a new session begins, where later messages were edited. */
  readonly beginsAfter?: string;
  readonly missing: readonly Told[];
};

/** An exchange as it is told. `foreign`: there are words in it that nobody recorded as the user's or an agent's. */
type Told = { readonly text: string; readonly foreign: boolean };

/** Maximum number of exchanges that are looked for: a conversation that was not kept for longer is a new one. */
const maxSought = 200;

/** Maximum number of lookups with other agents: whoever has hundreds is asked about the newest exchanges only. */
const maxLookups = 20_000;

/**
 * Finds where a conversation goes on: after the last exchange with this agent that is on record as the client shows it. If others
 * came after that one, the client has edited the past or asks again: `charter/ai` says which session that is. Of exchanges with
 * `others`, agents that the caller may ask too, the recorded words are told; what nobody recorded is told as the client's.
 */
export async function placeOf(
  store: Store,
  scope: UserScope,
  request: ChatRequest,
  others: () => Promise<readonly string[]>,
): Promise<ChatPlace> {
  const { before, input, isOnce } = request;
  // Asked once, an agent has no tools and remembers nothing: whose words it is told makes no difference.
  if (isOnce) return { session: "none", missing: before.map(({ told }) => ({ text: told, foreign: false })) };
  const find = async (sought: readonly Exchange[], agents: readonly string[] = []) => {
    const digests = sought.flatMap(({ shown }) => shown);
    const turns = await store.turns.withShown(scope, digests, agents);
    const here = turns.filter((turn) => turn.scope.agent === scope.agent && turn.session !== null);
    const last = sought.findLast((one) => turnOf(one, here));
    return { turns, last, found: last && turnOf(last, here) };
  };
  // Nearly always it is the newest one.
  let place = await find(before.slice(-1));
  if (!place.found && before.length > 0) {
    const agents = await others();
    place = await find(before.slice(-Math.min(maxSought, Math.ceil(maxLookups / (agents.length + 1)))), agents);
  }
  const { turns, last, found } = place;
  const missing = before.slice(before.indexOf(last as Exchange) + 1).map((one) => toldOf(one, turns));
  if (!last || !found) return { session: "new", missing };
  const session = found.session as string;
  const asked = { input: [{ text: wordsOf(input) }], answers: [], before: last.asked, session, turn: found.id };
  const isEdited = !found.isNewest && (await isPastEdited(asked, session, { store, ...scope }));
  return isEdited ? { session: "new", beginsAfter: found.id, missing } : { session, missing };
}

/** Finds the turn that an exchange was: of several, one after which nothing came. What is shown has to be answered as it was. */
function turnOf({ shown, answer }: Exchange, turns: readonly ShownTurn[]): ShownTurn | undefined {
  const same = turns.filter(
    (turn) =>
      shown.includes(turn.shown) &&
      (answer === "" ? turn.state !== "answered" : plainAnswer(turn.reply ?? "") === answer),
  );
  return same.find(({ isNewest }) => isNewest) ?? same[0];
}

/** Tells an exchange: of one on record our words, which are as tainted as its turn was; else what the client shows. */
function toldOf(one: Exchange, turns: readonly ShownTurn[]): Told {
  const turn = one.answer === "" ? undefined : turnOf(one, turns);
  if (!turn) return { text: one.told, foreign: one.isForeign };
  return { text: `user: ${one.asked}\nassistant (${turn.scope.agent}): ${turn.reply}`, foreign: turn.tainted };
}

/**
 * Puts what is missing in the session's history before what is said now: as the caller's own words, or fenced, where there are
 * others in it. The oldest is left out where it is too long.
 */
export function inputOf(
  parts: readonly ChatPart[],
  missing: readonly Told[],
  rounds: readonly Round[],
): readonly ChatPart[] {
  const results = rounds.length === 0 ? [] : [{ text: resultsText(rounds) }];
  if (missing.length === 0) return [...parts, ...results];
  const isForeign = missing.some(({ foreign }) => foreign);
  const { leftOut, words } = fitting(
    missing.map(({ text }) => text),
    maxInputChars - wordsOf([...parts, ...results]).length - 500,
    (text) => (isForeign ? fenced(text, "client") : quoted(text)),
  );
  const note = leftOut ? " (the oldest is left out: it is too long)" : "";
  const heading = { text: `What was said before, as the client tells it${note}:${words}\n\nWhat is said now:` };
  return [heading, ...parts, ...results];
}

/** Writes the newest of some texts that fit into `room`. How long they get is seen once they are written, and then fewer are tried. */
function fitting(texts: readonly string[], room: number, write: (text: string) => string) {
  for (let budget = room; ; ) {
    let left = budget;
    const tooLong = texts.findLastIndex(({ length }) => {
      left -= length + 1;
      return left < 0;
    });
    const kept = texts.slice(tooLong + 1);
    const words = kept.length === 0 ? "" : `\n\n${write(kept.join("\n"))}`;
    if (words.length <= room || words === "") return { words, leftOut: tooLong >= 0 };
    budget *= (0.9 * room) / words.length;
  }
}

/** Tells results of calls whose turn is gone: what the client's tools said is other people's words. */
function resultsText(rounds: readonly Round[]): string {
  const tell = (write: (text: string, name: string) => string) =>
    rounds.flatMap(({ calls, results }) =>
      calls.map(({ id, name, input }) => `- ${name} ${input}:\n${write(results.get(id) ?? "", name)}`),
    );
  // What is too long is refused before it is fenced.
  checkedParts([{ text: tell((text) => text).join("\n") }]);
  const told = tell(fenced);
  return `Results of calls that were made meanwhile, as the client tells them:\n${told.join("\n")}`;
}
