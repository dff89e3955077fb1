import { badArgument, defined, isList, kindOf } from "../prompt/argument.ts";
import { lineEnd } from "../prompt/character.ts";
import { fenced, quoted } from "../prompt/fence.ts";
import type { Sha256 } from "../prompt/prompt.ts";
import type { HistorySource, SentSlot } from "../prompt/receipt.ts";
import type { Attachment, StepResult } from "../prompt/step-result.ts";
import {
  type Baseline,
  besideInput,
  hookLayer,
  isUpdate,
  type StepPlace,
  type Summary,
  type Update,
  updateMessage,
} from "./baseline.ts";
import { withoutAnyMark } from "./mark.ts";
import type { Message, ToolResult } from "./model.ts";
import { isReceiver, type Receiver } from "./receiver.ts";

/** A past turn of a session, as `store.sessions.history` returns it. */
export type PastTurn = {
  readonly id: string;
  readonly input: string;
  readonly attachments?: readonly Attachment[];
  readonly reply?: string | null;
  readonly state: string;
  readonly tainted: boolean;
  readonly steps: readonly { readonly step: number; readonly result: StepResult | null }[];
  /** Shows that it is no turn of this session: a schedule sent its reply into this chat, at this local time. */
  readonly told?: { readonly schedule: string; readonly at: string };
};

/** The messages of one turn in a history. `turn` is null for a summary, and for updates from turns that are gone. */
export type TurnMessages = {
  readonly turn: string | null;
  readonly tainted: boolean;
  readonly messages: readonly Message[];
  /** The title of the schedule that sent it; nothing for a turn that was asked here. */
  readonly schedule?: string;
};

/** Rebuilds the messages of a session from its recorded turns: the next request continues from them, in any process. */
export function historyOf(turns: readonly PastTurn[], baseline: Baseline | null, receiver: Receiver): TurnMessages[] {
  if (!isList(turns) || !isReceiver(receiver))
    throw badArgument(
      `The ${isList(turns) ? "receiver" : "list of turns"} that historyOf was given is ${kindOf(isList(turns) ? receiver : turns)}.`,
      "Give historyOf(await store.sessions.history(id), baseline, receiver).",
    );
  const { opening: early, byTurn } = groupUpdates(turns, baseline?.updates ?? []);
  const messages = (updates: readonly ToldUpdate[]) => updates.map(({ update }) => updateMessage(update, receiver));
  const since = receiver.binds || baseline?.binds ? baseline?.since : undefined;
  const first = since ? turns.findIndex(({ id }) => id === since.turn) : 0;
  const summary = baseline?.summary;
  const opening = [...(summary ? [summaryMessage(summary.text)] : []), ...messages(early)];
  const tainted = summary?.tainted ?? false;
  const stretches = turns.map((turn, index): TurnMessages => {
    const updates = byTurn.get(turn.id) ?? [];
    const about = { turn: turn.id, tainted: turn.tainted };
    const stopped = isStopped(turn, receiver);
    const isAsked = counts(turn) || (stopped && !isAskedAgain(turn, turns.slice(index + 1)));
    if (!isAsked) return { ...about, messages: messages(updates) };
    if (turn.told) {
      const { schedule } = turn.told;
      return { ...about, schedule, messages: [...announcement(turn, turn.told), ...messages(updates)] };
    }
    const updatesBetween = (after: number, until: number) =>
      messages(updates.filter(({ step }) => step > after && step <= until));
    const entered = turn.steps.find(({ result }) => result?.input !== undefined);
    const input = inputMessage(entered?.result?.input ?? withoutAnyMark(turn.input), turn.attachments);
    const opening = entered?.step ?? 1;
    let last = opening;
    const isBound = (step: number) =>
      since === undefined || (first !== -1 && (index > first || (index === first && step >= since.step)));
    const later = turn.id === summary?.until ? turn.steps.filter(({ step }) => step > (summary.step ?? 0)) : turn.steps;
    const steps = later.flatMap(({ step, result }) => {
      const before = updatesBetween(last, step);
      last = Math.max(last, step);
      const own = (message: Message) => (isBound(step) ? withOwnNative(message, receiver) : withoutNative(message));
      return [...before, ...stepMessages(result).map(own)];
    });
    const reply = turn.steps.some(({ result }) => result?.answer) ? [] : replyMessages(turn);
    const isOver = turn.state !== "answered" && steps.findLast((one) => !isUpdate(one))?.role === "tool";
    const left = stopped ? stoppedMessages(turn.steps.at(-1)?.result ?? null) : reply;
    const end = isOver && left[0]?.role !== "assistant" ? [bridge] : left;
    const all = [
      ...besideInput(
        updates.flatMap(({ update, step }) => (step <= opening ? [update] : [])),
        input,
        receiver,
      ),
      ...steps,
      ...end,
      ...updatesBetween(last, Number.POSITIVE_INFINITY),
    ];
    return { ...about, messages: all };
  });
  return opening.length > 0 ? [{ turn: null, tainted, messages: opening }, ...stretches] : stretches;
}

type ToldUpdate = { readonly update: Update; readonly step: number };

/** Groups updates by the turn they were sent in. An update of a turn that is gone keeps its place among the others. */
function groupUpdates(turns: readonly PastTurn[], updates: readonly Update[]) {
  const byTurn = new Map<string, ToldUpdate[]>(turns.map(({ id }) => [id, []]));
  const opening: ToldUpdate[] = [];
  let among = opening;
  for (const update of updates) {
    const own = byTurn.get(update.turn);
    among = own ?? among;
    among.push({ update, step: own ? update.step : (among.at(-1)?.step ?? 0) });
  }
  return { opening, byTurn };
}

/** Returns an answer with its text and calls alone: its reasoning is bound to other messages than those before it now. */
export function withoutNative(message: Message): Message {
  if (message.role !== "assistant" || message.native === undefined) return message;
  const { native: _, ...plain } = message;
  return plain;
}

/** Drops parts native to another model (reasoning, signatures, a session of its own), which are of no use to this one. */
function withOwnNative(message: Message, { name }: Receiver): Message {
  if (message.role !== "assistant" || message.native === undefined) return message;
  const { model, acp } = Object(message.native) as { readonly model?: unknown; readonly acp?: { name?: unknown } };
  const maker = model ?? Object(acp).name;
  return typeof maker !== "string" || maker === name ? message : withoutNative(message);
}

/** Returns the reply of a turn whose step results were dropped. */
function replyMessages({ reply }: PastTurn): Message[] {
  return reply ? [{ role: "assistant", text: reply, calls: [] }] : [];
}

/** Makes the user's message, with its attachments. */
export function inputMessage(text: string, attachments: readonly Attachment[] = []): Message {
  return { role: "user", text, ...(attachments.length > 0 ? { attachments } : {}) };
}

/** Returns the role in which a summary of these messages is asked for: no user speaks right after results. */
export function summaryRole(past: readonly Message[], { voice }: Pick<Receiver, "voice">): "system" | "user" {
  return past.at(-1)?.role === "tool" ? voice : "user";
}

export function summaryMessage(text: string): Message {
  return { role: "user", text: `[What was said before, in short]\n${text}` };
}

/**
 * Makes the message about a schedule's announcement in the chat. It has the user's role: the agent was not asked there, and would
 * imitate such a line in its answers. Each line is quoted, so that nothing in it ends the quotation.
 */
function announcement({ reply, tainted }: PastTurn, { schedule, at }: NonNullable<PastTurn["told"]>): Message[] {
  if (!reply) return [];
  const words = withoutAnyMark(reply);
  const lines = () => words.split(lineEnd).map((line) => `> ${line}`.trimEnd());
  // Fences every tag in the text, because the charter's tags are not known here.
  const tags = () => new Set(Array.from(words.matchAll(/<\/?([a-z][\w-]*)/gi), ([, tag]) => String(tag).toLowerCase()));
  const quotation = tainted ? fenced(words, "schedule", tags()) : lines().join("\n");
  return [{ role: "user", text: `[Your schedule ${quoted(schedule)} sent this into the chat at ${at}]\n${quotation}` }];
}

/**
 * Makes the messages of a step: an answer, and the results of its calls. A call that was never finished says so: its outcome is
 * not known. An empty answer is no message, because providers refuse one; thoughts alone go with it.
 */
export function stepMessages(stepResult: StepResult | null): Message[] {
  if (!stepResult?.answer) return [];
  const { text, calls, native } = stepResult.answer;
  const answer: Message = { role: "assistant", text, calls, ...defined({ native }) };
  const { correction, steering = [] } = stepResult;
  const words = correction === undefined ? steering : [correction, ...steering];
  const userMessages = words.map((text): Message => ({ role: "user", text }));
  const isEmpty = text.trim() === "" && stepResult.finish !== "pause";
  if (calls.length === 0) return isEmpty ? userMessages : [answer, ...userMessages];
  const kept = [...(stepResult.results ?? [])];
  const results = calls.map(({ id, name }): ToolResult => {
    const result = kept[0]?.call === id ? kept.shift() : undefined;
    return result ? shownResult(result) : { call: id, name, output: unknownOutcome, failed: true };
  });
  return [answer, { role: "tool", results }, ...userMessages];
}

/** Returns a result without what is stored beside it, such as the whole of a shortened one. */
function shownResult({ call, name, output, failed, shortened }: ToolResult): ToolResult {
  return { call, name, output, ...defined({ failed, shortened }) };
}

const unknownOutcome = "The turn was interrupted before this call reported back; whether it took effect is not known.";

/** Returns true if a turn belongs into the history: it achieved something, and did more than sum up what was said before. */
function counts({ state, steps, reply }: PastTurn): boolean {
  if (state === "erased" || state === "running") return false;
  if (reply && steps.length > 0 && steps.every(({ result }) => result?.summary !== undefined)) return false;
  return state === "answered" || steps.some(({ result }) => result?.acted || (result?.answer?.calls.length ?? 0) > 0);
}

/** Codes of faults that left no answer although the input was fine. */
const stops: ReadonlySet<string> = new Set([
  "model-aborted",
  "model-busy",
  "model-cut",
  "model-failed",
  "model-unreachable",
  "turn-time",
]);

/**
 * Returns true if a turn's input had reached a request when it was stopped, or nobody could answer: the question is still open.
 * An input that the model rejected is not sent again, nor anything to a receiver that has it already.
 */
function isStopped({ state, steps }: PastTurn, receiver: Receiver): boolean {
  if (state === "interrupted" && !receiver.keepsHistory)
    return steps.some(({ result }) => result === null || result.input !== undefined);
  const isEntered = steps.some(({ result }) => result?.input !== undefined);
  return state === "failed" && isEntered && isStop(steps.at(-1)?.result ?? {}, receiver);
}

/** Returns true if a turn ended because somebody stopped it, or no answer could be had. */
export function isStop({ because, faults }: StepResult, { keepsHistory }: Receiver): boolean {
  if (keepsHistory || !because) return false;
  return stops.has(because.code) || (because.code === "model-rejected" && faults?.at(-1)?.outage === true);
}

/**
 * Returns true if the next turn asks the same, so that it is sent once. Of turns in a row that the model failed at, only the last
 * is sent: one of them may be what breaks it, and would break all that follow.
 */
function isAskedAgain(turn: PastTurn, later: readonly PastTurn[]): boolean {
  const next = later.find(({ told, state }) => !told && state !== "erased");
  if (!next) return false;
  const failed = (one: PastTurn) =>
    one.state === "failed" && one.steps.at(-1)?.result?.because?.code === "model-failed";
  return (failed(turn) && failed(next)) || asked(turn) === asked(next);
}

function asked({ input, attachments = [] }: PastTurn): string {
  return JSON.stringify([input, attachments.map(({ digest }) => digest)]);
}

const stoppedLine = "[Stopped here: this message has no finished answer.]";

/** Stands between results that nothing was said of and the next message of the user, which may not follow them. */
const bridge: Message = { role: "assistant", text: stoppedLine, calls: [] };

/**
 * Makes the messages of a stopped turn: the partial answer, and a line that says so. The line has the user's role: a model would
 * imitate it in its answers.
 */
function stoppedMessages(result: StepResult | null): Message[] {
  const { partial = "", answer } = result ?? {};
  const partialAnswer: Message[] = partial === "" || answer ? [] : [{ role: "assistant", text: partial, calls: [] }];
  return [...partialAnswer, { role: "user", text: stoppedLine }];
}

/** The history of a session before a request is made of it. */
type KnownHistory = {
  readonly stretches: readonly TurnMessages[];
  /** The messages of the running turn, with its input as it was asked. */
  readonly own: readonly Message[];
  readonly summary: Summary | null;
};

/** A history as it was sent, with the places in it that slots of the prompt take. */
type SentMessages = {
  readonly history: readonly Message[];
  readonly placements: readonly { readonly slot: string; readonly message?: number }[];
};

/** The sources of a history's messages, and the texts that must be stored to make them again. */
type SourcedHistory = {
  readonly source: HistorySource;
  readonly summary?: string;
  readonly changed?: string;
};

/**
 * Describes the sources of a history that is about to be sent. Messages that the session does not have as they were sent are
 * stored.
 */
export function historySource(
  { stretches, own, summary }: KnownHistory,
  { history, placements }: SentMessages,
  { voice, clears, since }: Pick<Receiver, "voice" | "clears"> & { readonly since: StepPlace | undefined },
  sha256: Sha256,
): SourcedHistory {
  const past = stretches.filter(({ turn }) => turn !== null);
  // The turn of the last fold counts although it has no messages: what is bound comes after it.
  const isSilent = ({ turn, messages }: TurnMessages) => turn !== since?.turn && messages.every(isUpdate);
  const silent = past.filter(isSilent).flatMap(({ turn }) => turn ?? []);
  const known: Message[] = [];
  for (const { messages } of [...stretches, { messages: own }])
    for (const message of messages) if (!isUpdate(message)) known.push(message);
  const placed = new Set(placements.flatMap(({ message }) => message ?? []));
  const sent = placed.size === 0 ? history : history.filter((_, index) => !placed.has(index));
  const difference = differenceOf(known, sent);
  const changed = difference && difference.put.length > 0 ? JSON.stringify(difference.put) : undefined;
  const opening = (stretches[0]?.turn === null && summary) || undefined;
  const [first] = past;
  return {
    source: {
      turns: past.length - silent.length,
      own: own.filter((message) => !isUpdate(message)).length,
      voice,
      ...defined({
        from: first?.turn ?? undefined,
        without: silent.length > 0 ? silent : undefined,
        summary: opening && { digest: sha256(opening.text), until: opening.until, ...defined({ step: opening.step }) },
        changed: difference && {
          at: difference.at,
          drop: difference.drop,
          ...defined({ digest: changed && sha256(changed) }),
        },
        clears: voice === "system" ? clears : undefined,
        since,
      }),
    },
    ...defined({ summary: opening?.text, changed }),
  };
}

type Difference = { readonly at: number; readonly drop: number; readonly put: readonly Message[] };

/** Finds where two lists differ: from index `at` on, `drop` messages of the one are replaced by `put` in the other. */
function differenceOf(one: readonly Message[], other: readonly Message[]): Difference | undefined {
  const shorter = Math.min(one.length, other.length);
  let at = 0;
  while (at < shorter && isSame(one[at], other[at])) at++;
  if (at === one.length && at === other.length) return undefined;
  let end = 0;
  while (end < shorter - at && isSame(one.at(-1 - end), other.at(-1 - end))) end++;
  return { at, drop: one.length - at - end, put: other.slice(at, other.length - end) };
}

function isSame(one: Message | undefined, other: Message | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** A slot of a receipt with its text. */
type ReplayedSlot = Pick<SentSlot, "slot" | "message" | "sections"> & { readonly text: string };

/**
 * Rebuilds a history as it was sent: from the messages of its turns, the messages stored beside them, and slots of the prompt.
 */
export function historyFrom(
  known: readonly Message[],
  { changed, voice, clears }: Pick<HistorySource, "changed" | "voice" | "clears">,
  replacement: readonly Message[],
  slots: readonly ReplayedSlot[],
): Message[] {
  const messages = known.filter((message) => !isUpdate(message));
  if (changed) messages.splice(changed.at, changed.drop, ...replacement);
  const among = slots.filter(({ slot, message }) => slot !== "state" && message !== undefined);
  for (const { slot, message, sections, text } of among.sort((a, b) => Number(a.message) - Number(b.message))) {
    const [{ name: update = "", trust, layer } = {} as Partial<SentSlot["sections"][number]>] = sections;
    const role = trust === "foreign" ? "user" : voice;
    const forgotten = clears && layer === hookLayer ? { clears } : {};
    const asked: Message = { role: summaryRole(messages.slice(0, message), { voice }), text };
    messages.splice(message as number, 0, slot === "update" ? { role, text, update, ...forgotten } : asked);
  }
  return messages;
}
