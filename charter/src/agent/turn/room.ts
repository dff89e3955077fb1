import { carry } from "../../delivery/cost.ts";
import { summaryMessage } from "../../delivery/history.ts";
import type { Message, ToolOffer, ToolResult } from "../../delivery/model.ts";
import { characterIndex, countCharacters } from "../../prompt/character.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import type { Toolset } from "../toolset.ts";
import { messagesOf } from "./live-session.ts";
import type { KeptResult, TurnState, TurnView } from "./turn-state.ts";

/** Share of a window that a request may fill; the rest is for the answer. */
const requestShare = 0.85;

/** Returns the maximum number of tokens of a request before its history is compacted; null where the window is not known. */
export function requestLimit(window: number | null): number | null {
  return window === null ? null : Math.floor(window * requestShare);
}

/** The name of the tool that reads on in a result that was shortened. */
export const readResultName = "read_result";

/** Minimum number of tokens of a result that are shown, however little room is left. */
const minResultTokens = 100;

/**
 * Returns the maximum number of tokens of the next result: the results of one answer get half of what compaction can make room
 * for. Infinite where the window is not known.
 */
export function resultRoom({ seat: { model }, progress }: Pick<TurnView, "seat" | "progress">): number {
  const limit = requestLimit(model.receiver.window);
  if (limit === null || progress.size === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(minResultTokens, Math.floor((limit - progress.size.besides) / 2) - progress.resultTokens);
}

/** Returns the end of the longest beginning of at most this many tokens, at a line end where one is near. */
export function cutWithin(text: string, maxTokens: number, tokenizer: Tokenizer): number {
  if (tokenizer.count(text) <= maxTokens) return text.length;
  let [fits, over] = [0, text.length];
  while (over - fits > 16) {
    const middle = Math.floor((fits + over) / 2);
    if (tokenizer.count(text.slice(0, middle)) <= maxTokens) fits = middle;
    else over = middle;
  }
  const line = text.lastIndexOf("\n", fits - 1) + 1;
  if (line > fits / 2) return line;
  // Rounds down to a whole character.
  return characterIndex(text, countCharacters(text.slice(0, fits)));
}

/** Makes the line at the end of a piece that says how much is missing, and which call reads it; empty where nothing is. */
export function toldRest(of: string, text: string, end: number): string {
  const missing = countCharacters(text.slice(end));
  if (missing === 0) return "";
  const input = JSON.stringify({ of, from: end });
  return `${text[end - 1] === "\n" ? "" : "\n"}(cut here: ${missing} more characters; ${readResultName} ${input} reads on)`;
}

/** Tokens reserved for the line that tells of the rest. */
const restTokens = 60;

/**
 * Shortens a result that is longer than the room left, with a line on how to read on; the whole text is stored with the step's
 * result. `index`: its place among the results of the step.
 */
export function shortenResult(
  running: Pick<TurnState, "who" | "seat" | "progress">,
  result: ToolResult,
  index: number,
): KeptResult {
  const { tokenizer, id } = running.who;
  const { progress } = running;
  const room = resultRoom(running);
  const count = tokenizer.count(result.output);
  progress.resultTokens += Math.min(count, room);
  if (count <= room || result.name === readResultName) return result;
  const { output: text } = result;
  const end = cutWithin(text, Math.max(0, room - restTokens), tokenizer);
  const output = text.slice(0, end) + toldRest(`${id}/${progress.step}/${index}`, text, end);
  // A tainted turn marks the whole text as foreign: when another turn reads on, nobody knows any more whether it is.
  return { ...result, output, shortened: true, whole: { text, ...(progress.tainted ? { foreign: true } : {}) } };
}

/** Minimum number of tokens of a history that is worth a summary. */
export const minHistoryTokens = 100;

/** Returns the room that a request has for its history, in tokens; infinite where that is not known. */
export function summaryRoom({ seat: { model }, progress: { size } }: Pick<TurnState, "seat" | "progress">): number {
  const limit = requestLimit(model.receiver.window);
  return limit === null || size === undefined ? Number.POSITIVE_INFINITY : limit - size.besides;
}

/** Tokens reserved for the line that tells of a cut. */
const cutTokens = 12;

/** Cuts a summary to this many tokens, with a line that says so. */
export function cutSummary(summary: string, maxTokens: number, tokenizer: Tokenizer): string {
  if (tokenizer.count(summary) <= maxTokens) return summary;
  const end = cutWithin(summary, Math.max(0, maxTokens - cutTokens), tokenizer);
  return `${summary.slice(0, end)}\n(cut here: ${countCharacters(summary.slice(end))} more characters)`;
}

/**
 * Cuts the summary where it is all that is left of a history and a long input leaves no room for it: to the room left, or else to
 * half its length. Knowing less of the conversation is better than not being able to go on.
 */
export function shortenSummary(
  { who: { session, tokenizer }, progress }: Pick<TurnState, "who" | "progress">,
  window: number,
): boolean {
  const { baseline } = session;
  const summary = baseline?.summary;
  if (!summary) return false;
  const before = tokenizer.count(summary.text);
  const room = window - (progress.size?.besides ?? 0);
  const text = cutSummary(summary.text, room < before ? room : before / 2, tokenizer);
  if (tokenizer.count(text) >= before) return false;
  session.baseline = { ...baseline, summary: { ...summary, text } };
  session.stretches = session.stretches.map((one, index) =>
    index === 0 ? { ...one, messages: [summaryMessage(text), ...one.messages.slice(1)] } : one,
  );
  session.sentMessages = 0;
  progress.rebuildReason = "the history was compacted";
  return true;
}

const description =
  "Reads on in the result of an earlier tool call that was too long to be shown whole, or in what was said before and left out.";
const ofHint = "Which one: as the line that tells of it says.";
const fromHint = "From which character on.";

export const readResultOffer: ToolOffer = {
  name: readResultName,
  description,
  input: {
    type: "object",
    properties: {
      of: { type: "string", description: ofHint },
      from: { type: "integer", minimum: 0, description: fromHint },
    },
    required: ["of", "from"],
    additionalProperties: false,
  },
};

const withOffer = new WeakMap<Toolset, readonly ToolOffer[]>();

/**
 * Returns the tools offered in the next step: those its turn began with, since another list is another beginning of the request;
 * what changed meanwhile is offered in the next turn. Only `read_result` comes at once, with the first line that names it.
 */
export function offersNow(running: Pick<TurnView, "who" | "progress">): readonly ToolOffer[] {
  const offers = offersWanted(running);
  const { offers: before } = running.who.session;
  if (!running.progress.inputAdded || before === null) return offers;
  const reads = (some: readonly ToolOffer[]) => some.some(({ name }) => name === readResultName);
  return reads(offers) && !reads(before) ? offers : before;
}

/**
 * Returns the tools there are. `read_result` is among them only while a shortened result is among the messages, or part of the
 * history is left out: so nobody pays for it who does not need it.
 */
function offersWanted({ who: { session, toolset }, progress }: Pick<TurnView, "who" | "progress">) {
  const isLeftOut = session.baseline?.summary?.leftOut;
  if (!isLeftOut && !isNeeded(messagesOf(session.stretches)) && !isNeeded(progress.messages)) return toolset.offers;
  if (toolset.byName.has(readResultName)) return toolset.offers;
  const offers = withOffer.get(toolset) ?? [...toolset.offers, readResultOffer];
  withOffer.set(toolset, offers);
  return offers;
}

/** Tells after each message whether there is anything to read on in by then. */
const readableOn = carry(
  false,
  (before, message) =>
    before ||
    (message.role === "tool" && message.results.some(({ shortened, name }) => shortened || name === readResultName)),
);

function isNeeded(messages: readonly Message[]): boolean {
  return readableOn(messages).at(-1) as boolean;
}

/** The name by which `read_result` reads a history that was left out. No result has this name. */
export const historyName = "history";

const leftOutLine = `(More was said before this. It is left out here, since it was not summed up: ${readResultName} ${JSON.stringify({ of: historyName, from: 0 })} reads it from the beginning.)`;

/** Returns what is left of a history that was not summarised: the earlier notes, after the line that says what is missing. */
export function leftOutText(notes: string): string {
  return [leftOutLine, notes.replaceAll(leftOutLine, "").trim()].filter((part) => part !== "").join("\n");
}
