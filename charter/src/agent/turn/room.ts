import { carry } from "../../delivery/cost.ts";
import { summaryMessage } from "../../delivery/history.ts";
import type { Message, ToolOffer, ToolResult } from "../../delivery/model.ts";
import { characterIndex, countCharacters } from "../../prompt/character.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import type { Toolset } from "../toolset.ts";
import { messagesOf } from "./live-session.ts";
import type { KeptResult, TurnState, TurnView } from "./turn-state.ts";

/** So much of a window a request may fill; the rest is for the answer. */
const share = 0.85;

/** How many tokens a request may have before the history is compacted for it; null where the window is not known. */
export function requestLimit(window: number | null): number | null {
  return window === null ? null : Math.floor(window * share);
}

/** The name of the tool that reads on in a result that was shortened. */
export const readResultName = "read_result";

/** However little is left, so many tokens of a result are shown. */
const least = 100;

/**
 * How many tokens the next result may have: the results of one answer get half of what compaction can make room for.
 * Infinite where the window is not known.
 */
export function resultRoom({ seat: { model }, progress }: Pick<TurnView, "seat" | "progress">): number {
  const limit = requestLimit(model.receiver.window);
  if (limit === null || progress.size === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(least, Math.floor((limit - progress.size.besides) / 2) - progress.resultTokens);
}

/** The end of the longest beginning that has at most so many tokens, at a line end where one is near. */
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
  // Never between the halves of a character.
  return characterIndex(text, countCharacters(text.slice(0, fits)));
}

/** Says at the end of a piece how much is missing, and what to call for it. Nothing, where nothing is missing. */
export function toldRest(of: string, text: string, end: number): string {
  const missing = countCharacters(text.slice(end));
  if (missing === 0) return "";
  const input = JSON.stringify({ of, from: end });
  return `${text[end - 1] === "\n" ? "" : "\n"}(cut here: ${missing} more characters; ${readResultName} ${input} reads on)`;
}

/** The line that tells of the rest needs room as well. */
const restTokens = 60;

/**
 * A result that is longer than what is left is shortened, and says how to read on; the whole of it is kept with what
 * came of the step. `index`: its place among the results of the step.
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
  // Whoever reads on in another turn reads what this turn could read: whether that is foreign is not known any more.
  return { ...result, output, shortened: true, whole: { text, ...(progress.tainted ? { foreign: true } : {}) } };
}

/** With less of a history than this, in tokens, there is nothing to be summed up. */
export const leastHistory = 100;

/** What the request has left for what was said before, in tokens; no bound where that is not known. */
export function summaryRoom({ seat: { model }, progress: { size } }: Pick<TurnState, "seat" | "progress">): number {
  const limit = requestLimit(model.receiver.window);
  return limit === null || size === undefined ? Number.POSITIVE_INFINITY : limit - size.besides;
}

/** The line that tells of a cut needs room as well. */
const cutTokens = 12;

/** A summary that is longer than what it was to make room for is cut, and says so. */
export function cutSummary(summary: string, maxTokens: number, tokenizer: Tokenizer): string {
  if (tokenizer.count(summary) <= maxTokens) return summary;
  const end = cutWithin(summary, Math.max(0, maxTokens - cutTokens), tokenizer);
  return `${summary.slice(0, end)}\n(cut here: ${countCharacters(summary.slice(end))} more characters)`;
}

/**
 * All that is left of a history is a summary, and a long input leaves no room for it: it is cut to what is left, or else
 * to half of what it has. Better to know less of what was said than to say nothing more.
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

const about =
  "Reads on in the result of an earlier tool call that was too long to be shown whole, or in what was said before and left out.";
const ofHint = "Which one: as the line that tells of it says.";
const fromHint = "From which character on.";

export const readResultOffer: ToolOffer = {
  name: readResultName,
  description: about,
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
 * The tools a model is offered in the next step. Reading on is offered while a result that was shortened is among the
 * messages, or what was said before is left out: so nobody pays for it who does not need it.
 */
export function offersNow({ who: { session, toolset }, progress }: Pick<TurnView, "who" | "progress">) {
  const isLeftOut = session.baseline?.summary?.leftOut;
  if (!isLeftOut && !isNeeded(messagesOf(session.stretches)) && !isNeeded(progress.messages)) return toolset.offers;
  if (toolset.byName.has(readResultName)) return toolset.offers;
  const offers = withOffer.get(toolset) ?? [...toolset.offers, readResultOffer];
  withOffer.set(toolset, offers);
  return offers;
}

/** After each message: is there anything to read on in by then? */
const readableOn = carry(
  false,
  (before, message) =>
    before ||
    (message.role === "tool" && message.results.some(({ shortened, name }) => shortened || name === readResultName)),
);

function isNeeded(messages: readonly Message[]): boolean {
  return readableOn(messages).at(-1) as boolean;
}

/** What `read_result` reads a history by that was left out. No result has this name. */
export const historyName = "history";

const line = `(More was said before this. It is left out here, since it was not summed up: ${readResultName} ${JSON.stringify({ of: historyName, from: 0 })} reads it from the beginning.)`;

/** What is left of a history that nobody summed up: the notes there were, behind the line that says what is missing. */
export function leftOutText(notes: string): string {
  return [line, notes.replaceAll(line, "").trim()].filter((part) => part !== "").join("\n");
}
