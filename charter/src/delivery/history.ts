import type { Attachment } from "../prompt/attachment.ts";
import { lineEnd } from "../prompt/character.ts";
import { fenced, quoted } from "../prompt/fence.ts";
import type { Baseline, Update } from "./baseline.ts";
import { withoutAnyMark } from "./mark.ts";
import type { Message, ToolCall, ToolResult } from "./model.ts";
import type { Receiver } from "./receiver.ts";
import { updateMessage } from "./update.ts";

/** A past turn of a session, as `store.sessions.history` returns it. */
export type PastTurn = {
  readonly id: string;
  readonly input: string;
  readonly attachments?: readonly Attachment[];
  readonly reply?: string | null;
  readonly state: string;
  readonly tainted: boolean;
  readonly steps: readonly { readonly step: number; readonly result: PastStepResult | null }[];
  /** It is no turn of this session: its reply was sent into this chat by a schedule, at this local time. */
  readonly told?: { readonly schedule: string; readonly at: string };
};

/** The part of a recorded step that the history is made of. */
export type PastStepResult = {
  readonly input?: string;
  /** Calls that a person had approved were made before it; the input says so. */
  readonly acted?: true;
  readonly answer?: { readonly text: string; readonly calls: readonly ToolCall[]; readonly native?: unknown };
  readonly results?: readonly ToolResult[];
  /** What was wrong with its answer, as the model was told: the answer was not what it had to be. */
  readonly correction?: string;
};

/** The messages of one turn in a history. `turn` is null for a summary, and for updates from turns that are gone. */
export type TurnMessages = {
  readonly turn: string | null;
  readonly tainted: boolean;
  readonly messages: readonly Message[];
};

/** Rebuilds the messages of a session from its recorded turns: what the next request continues from, in any process. */
export function historyOf(turns: readonly PastTurn[], baseline: Baseline | null, receiver: Receiver): TurnMessages[] {
  const { opening: early, told } = toldIn(turns, baseline?.updates ?? []);
  const messages = (updates: readonly ToldUpdate[]) => updates.map(({ update }) => updateMessage(update, receiver));
  const summary = baseline?.summary;
  const opening = [...(summary ? [summaryMessage(summary.text)] : []), ...messages(early)];
  const tainted = summary?.tainted ?? false;
  const stretches = turns.map((turn): TurnMessages => {
    const updates = told.get(turn.id) ?? [];
    const about = { turn: turn.id, tainted: turn.tainted };
    if (!counts(turn)) return { ...about, messages: messages(updates) };
    if (turn.told) return { ...about, messages: [...announcement(turn, turn.told), ...messages(updates)] };
    const said = (after: number, until: number) =>
      messages(updates.filter(({ step }) => step > after && step <= until));
    const entered = turn.steps.find(({ result: came }) => came?.input !== undefined);
    const input = inputMessage(entered?.result?.input ?? withoutAnyMark(turn.input), turn.attachments);
    const first = entered?.step ?? 1;
    let last = first;
    const later = turn.id === summary?.until ? turn.steps.filter(({ step }) => step > (summary.step ?? 0)) : turn.steps;
    const steps = later.flatMap(({ step, result: came }) => {
      const before = said(last, step);
      last = Math.max(last, step);
      return [...before, ...stepMessages(came).map((message) => withOwnNative(message, receiver))];
    });
    const reply = turn.steps.some(({ result: came }) => came?.answer) ? [] : replyMessages(turn);
    const all = [...said(-1, first), input, ...steps, ...reply, ...said(last, Number.POSITIVE_INFINITY)];
    return { ...about, messages: all };
  });
  return opening.length > 0 ? [{ turn: null, tainted, messages: opening }, ...stretches] : stretches;
}

type ToldUpdate = { readonly update: Update; readonly step: number };

/** Updates by the turn they were said in. One of a turn that is gone stays where it was among the others. */
function toldIn(turns: readonly PastTurn[], updates: readonly Update[]) {
  const told = new Map<string, ToldUpdate[]>(turns.map(({ id }) => [id, []]));
  const opening: ToldUpdate[] = [];
  let among = opening;
  for (const update of updates) {
    const own = told.get(update.turn);
    among = own ?? among;
    among.push({ update, step: own ? update.step : (among.at(-1)?.step ?? 0) });
  }
  return { opening, told };
}

/** What is native to another model (reasoning, signatures, a session of its own) is of no use to this one. */
function withOwnNative(message: Message, { name }: Receiver): Message {
  if (message.role !== "assistant" || message.native === undefined) return message;
  const { model, acp } = Object(message.native) as { readonly model?: unknown; readonly acp?: { name?: unknown } };
  const maker = model ?? Object(acp).name;
  if (typeof maker !== "string" || maker === name) return message;
  const { native: _, ...plain } = message;
  return plain;
}

/** What is left of an answer when what came of the steps was let go. */
function replyMessages({ reply }: PastTurn): Message[] {
  return reply ? [{ role: "assistant", text: reply, calls: [] }] : [];
}

/** What the user said, with what came with it. */
export function inputMessage(text: string, attachments: readonly Attachment[] = []): Message {
  return { role: "user", text, ...(attachments.length > 0 ? { attachments } : {}) };
}

export function summaryMessage(text: string): Message {
  return { role: "user", text: `[What was said before, in short]\n${text}` };
}

/**
 * What a schedule sent into the chat. It is told in the user's role: the agent was not asked there, and would write such a
 * line of its own into its answers. Each line is quoted, so that nothing in it ends the quotation.
 */
function announcement({ reply, tainted }: PastTurn, { schedule, at }: NonNullable<PastTurn["told"]>): Message[] {
  if (!reply) return [];
  const words = withoutAnyMark(reply);
  const lines = () => words.split(lineEnd).map((line) => `> ${line}`.trimEnd());
  // Which tags the charter has is not known here: none in it is left.
  const tags = () => new Set(Array.from(words.matchAll(/<\/?([a-z][\w-]*)/gi), ([, tag]) => String(tag).toLowerCase()));
  const said = tainted ? fenced(words, "schedule", tags()) : lines().join("\n");
  return [{ role: "user", text: `[Your schedule ${quoted(schedule)} sent this into the chat at ${at}]\n${said}` }];
}

/** An answer, and the results of what it called. A call that was never finished says so: its outcome is not known. */
export function stepMessages(stepResult: PastStepResult | null): Message[] {
  if (!stepResult?.answer) return [];
  const { text, calls, native } = stepResult.answer;
  const answer: Message = { role: "assistant", text, calls, ...(native === undefined ? {} : { native }) };
  const told: Message[] = stepResult.correction === undefined ? [] : [{ role: "user", text: stepResult.correction }];
  if (calls.length === 0) return [answer, ...told];
  const results = calls.map(({ id, name }, index): ToolResult => {
    const result = stepResult.results?.[index];
    return result?.call === id ? shownResult(result) : { call: id, name, output: unknownOutcome, failed: true };
  });
  return [answer, { role: "tool", results }, ...told];
}

/** Without what is kept beside it, as the whole of a result that was shortened. */
function shownResult({ call, name, output, failed, shortened }: ToolResult): ToolResult {
  return { call, name, output, ...(failed ? { failed } : {}), ...(shortened ? { shortened } : {}) };
}

const unknownOutcome = "The turn was interrupted before this call reported back; whether it took effect is not known.";

/** A turn that came to nothing and did nothing is not part of what was said. */
function counts({ state, steps }: PastTurn): boolean {
  if (state === "erased" || state === "running") return false;
  return state === "answered" || steps.some(({ result: came }) => came?.acted || (came?.answer?.calls.length ?? 0) > 0);
}
