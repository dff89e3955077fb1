import type { Scope } from "../amend/amendment.ts";
import { attachmentLine, showAttachments } from "../delivery/attachments.ts";
import { blocksOf, withBreakpoints } from "../delivery/deliver.ts";
import { historyFrom, historyOf, type TurnMessages } from "../delivery/history.ts";
import type { Message, ModelRequest, SentBody, ToolOffer } from "../delivery/model.ts";
import type { ModelTable } from "../delivery/models/model-entry.ts";
import type { Environment } from "../delivery/models/provider.ts";
import type { ReplayedBody } from "../delivery/models/replay-body.ts";
import { historyDigest } from "../delivery/prediction.ts";
import { receiverFacts } from "../delivery/receiver.ts";
import { badArgument, checkNeeded, isText, kindOf } from "../prompt/argument.ts";
import { listed, Problem, rethrowUnlessProblem } from "../prompt/problem.ts";
import { type Occurrence, type Span, why } from "../prompt/prompt.ts";
import type { HistorySource, SectionText, SentSlot } from "../prompt/receipt.ts";
import { type Authors, authorsIn } from "../store/amendments/amendments.ts";
import type { Reach } from "../store/home/database.ts";
import type { Store } from "../store/store.ts";
import { sha256 } from "../store/texts/packing.ts";
import type { SessionTurn } from "../store/turns/session.ts";
import type { ReplayedStep } from "../store/turns/steps.ts";
import { aStore } from "./agent-options.ts";
import type { StepResult } from "./turn/turn-state.ts";

/** A past request as it was handed to the model; the step's receipt proves every part of it. */
export type ReplayedRequest = { readonly step: ReplayedStep; readonly request: ModelRequest };

/**
 * Rebuilds the request of a past step, the last of its turn unless one is given: tools, system and messages, proved by the
 * digests in the receipt. If parts were erased or deleted since, a Problem says so.
 */
export async function replayRequest(
  store: Store,
  turn: string,
  at?: number,
  reach: Reach = "everything",
): Promise<ReplayedRequest> {
  checkNeeded<{ store: Store; turn: string }>(
    "replayRequest",
    { store, turn },
    {
      store: aStore,
      turn: [isText, "Give the id of a turn."],
    },
  );
  const step = await store.steps.replay(turn, at, reach);
  const parts = await replayParts(store, step, reach);
  return { step, request: await requestFrom(store, step, parts) };
}

/** Parts of a past request: its sections and messages. */
export type ReplayedParts = {
  readonly tools: readonly ToolOffer[];
  readonly session: string | null;
  readonly scope: Scope;
  readonly system: readonly SectionText[];
  /** Cache breakpoints: the number of sections, and of messages, before each. */
  readonly systemBreakpoints: readonly number[];
  readonly breakpoints: readonly number[];
  readonly messages: readonly Message[];
};

/** Takes a past request apart; every part is proved by the step's receipt. */
export async function replayParts(
  store: Store,
  step: ReplayedStep,
  reach: Reach = "everything",
): Promise<ReplayedParts> {
  const { receipt, text } = step;
  const { source, messages, ...about } = await replayMessages(store, step, reach);
  const placed = (name: string) => receipt.slots.find(({ slot }) => slot === name);
  const words = (name: string) =>
    (placed(name)?.sections ?? []).map((section): SectionText => ({ ...section, text: text(section) }));
  // Earlier versions sent the state anew at the end of each request.
  const state = words("state").map((one) => one.text);
  const tail: Message[] = state.length > 0 ? [{ role: source.voice, text: state.join("") }] : [];
  return {
    ...about,
    system: words("system"),
    systemBreakpoints: placed("system")?.breakpoints ?? [],
    messages: [...messages.map(({ message }) => message), ...tail],
  };
}

/** The request that is made of such parts, with what else its receipt says of it. */
export async function requestFrom(store: Store, step: ReplayedStep, parts: ReplayedParts): Promise<ModelRequest> {
  const { receipt, besides } = step;
  const { tools, session, scope, system, systemBreakpoints, messages, breakpoints } = parts;
  const request: ModelRequest = {
    tools,
    system: blocksOf(system, systemBreakpoints),
    messages: withBreakpoints(messages, breakpoints),
    ...(session === null ? {} : { cacheKey: session }),
    ...(receipt.toolChoice ? { toolChoice: receipt.toolChoice } : {}),
    ...(receipt.answerTokens ? { answerTokens: receipt.answerTokens } : {}),
    ...(besides.output === null ? {} : { output: JSON.parse(besides.output) }),
  };
  return replayAttachments(store, scope, step, request);
}

/**
 * The author of a message, by the turn it was said in. `section`: the prompt's own, as a slot of the receipt has it. `note`:
 * Charter's own words about a turn, such as that it was stopped. `changed`: put there by a hook, or by whoever shortened the
 * history.
 */
export type MessageOrigin = {
  readonly kind: "section" | "input" | "answer" | "results" | "note" | "summary" | "schedule" | "changed";
  readonly turn: string | null;
  /** The title of the schedule that sent it. */
  readonly schedule?: string;
};

type ReplayedMessage = { readonly message: Message; readonly origin: MessageOrigin };

/**
 * Rebuilds the tools and the history of a past request, proved by the digests in the receipt, with the author of each message.
 */
export async function replayMessages(store: ReplayStore, step: ReplayedStep, reach: Reach = "everything") {
  const { turn, receipt, besides, slots } = step;
  const { history } = receipt;
  if (besides.offers === null || !history?.source) throw notWhole(step);
  const tools: readonly ToolOffer[] = JSON.parse(besides.offers);
  const { session, scope } = await store.turns.get(turn, reach);
  const { source, breakpoints } = history;
  const sessionTurns = session === null ? [] : await turnsTold(store, session, { step, source, reach });
  const placed = receipt.slots.map((slot, index) => ({ ...slot, text: slots[index]?.text ?? "" }));
  const put: readonly Message[] = besides.changed === null ? [] : JSON.parse(besides.changed);
  const known = stretchesSaid(sessionTurns, step, source);
  const allMessages = historyFrom(
    known.flatMap(({ messages }) => messages),
    source,
    put,
    placed,
  );
  if (allMessages.length !== history.messages || historyDigest(allMessages, sha256) !== history.digest)
    throw await notProved(store, sessionTurns, step, reach);
  const origins = new Map([
    ...known.flatMap(originsIn),
    ...put.map((one) => [one, { kind: "changed", turn }] as const),
  ]);
  const messages = allMessages.map(
    (message): ReplayedMessage => ({ message, origin: origins.get(message) ?? { kind: "section", turn } }),
  );
  return { tools, session, scope, source, breakpoints, messages };
}

type ReplayStore = Pick<Store, "turns" | "steps" | "sessions">;

/** Finds the origin of each message of a turn. The first of the user is the input; others in that role are Charter's. */
export function originsIn({ turn, schedule, messages }: TurnMessages): (readonly [Message, MessageOrigin])[] {
  const input = messages.find((message) => message.role === "user" && message.update === undefined);
  const kindOf = (message: Message): MessageOrigin["kind"] => {
    if (message.role === "assistant") return "answer";
    if (message.role === "tool") return "results";
    if (turn === null) return "summary";
    if (schedule !== undefined) return "schedule";
    return message === input ? "input" : "note";
  };
  const about = { turn, ...(schedule === undefined ? {} : { schedule }) };
  return messages.map((message) => [message, { kind: kindOf(message), ...about }]);
}

/** Adds the bytes of attachments that were sent, or the words that stood for them. */
async function replayAttachments(
  store: Store,
  scope: Scope,
  step: ReplayedStep,
  request: ModelRequest,
): Promise<ModelRequest> {
  const { takes, all } = step.receipt.attachments ?? { takes: [], all: [] };
  const digests = all.map(({ digest }) => digest);
  const kept = await store.attachments.getAll(scope, digests);
  const gone = all.find(({ digest, shown }) => shown && !kept.has(digest));
  if (gone)
    throw new Problem(
      "erased",
      `The messages of step ${step.step} of “${step.turn}” cannot all be made again: the attachment ${attachmentLine(gone)} was let go.`,
      "See the prompt that was sent with `charter replay` without --request.",
    );
  return showAttachments(request, { takes, bytes: kept });
}

/**
 * Rebuilds the body of a past request by the provider's package that is installed. Null where no package makes one: the model was
 * no provider's, or not loaded by its name.
 */
export async function replayRequestBody(
  { step, request }: ReplayedRequest,
  env: Environment = {},
  models: ModelTable = {},
): Promise<ReplayedBody | null> {
  const { sent = null, usage, faults } = (step.result ?? {}) as StepResult;
  const isOwn = sent === null && (usage !== undefined || faults !== undefined);
  const { receiver } = step.receipt;
  if (receiver === null || isOwn) return null;
  const { replayBody } = await import("../delivery/models/replay-body.ts");
  return replayBody(receiver, request, sent, { env, models });
}

/** Lists the turns in the request, its own last, up to the request's step. */
async function turnsTold(
  store: ReplayStore,
  session: string,
  { step: { turn, step }, source, reach }: { step: ReplayedStep; source: HistorySource; reach: Reach },
): Promise<SessionTurn[]> {
  const { from, turns: count, without = [] } = source;
  const all = await store.sessions.history(session, {}, reach);
  const own = all.find(({ id }) => id === turn);
  const end = all.findIndex(({ id }) => id === turn);
  const start = from === undefined ? end : all.findIndex(({ id }) => id === from);
  const between = start === -1 ? [] : all.slice(start, end === -1 ? all.length : end);
  const counted = between.filter(({ id }) => !without.includes(id));
  const past = counted.length > count ? await endedFirst(store, counted, count, reach) : counted;
  return own
    ? [...past, { ...own, state: "answered", reply: null, steps: own.steps.filter((one) => one.step < step) }]
    : past;
}

/** Picks the turns that ended first, of more than were told: a turn that began early may have ended, and been told, later. */
async function endedFirst(
  store: ReplayStore,
  turns: readonly SessionTurn[],
  count: number,
  reach: Reach,
): Promise<SessionTurn[]> {
  const ends = await Promise.all(turns.map(async ({ id }) => (await store.turns.get(id, reach)).endedAt ?? "~"));
  const order = turns.map((_, index) => index).sort((a, b) => ((ends[a] as string) < (ends[b] as string) ? -1 : 1));
  const first = new Set(order.slice(0, count));
  return turns.filter((_, index) => first.has(index));
}

function stretchesSaid(
  turns: readonly SessionTurn[],
  { turn, besides, receipt }: ReplayedStep,
  source: HistorySource,
): TurnMessages[] {
  const { summary, own } = source;
  const { binds: _, ...facts } = receiverFacts(receipt.receiver ?? "");
  const { since } = source;
  const receiver = { ...facts, voice: source.voice, ...(since ? { binds: true as const } : {}) };
  const opening = summary && besides.summary !== null ? { ...summary, text: besides.summary, tainted: false } : null;
  const words = { version: 2 as const, secret: "", words: [], updates: [], offers: "", summary: opening };
  const baseline = { ...words, ...(since ? { since } : {}) };
  const stretches = historyOf(turns, baseline, receiver);
  return stretches.map((one) => (one.turn === turn ? { ...one, messages: one.messages.slice(0, own) } : one));
}

function notWhole({ turn, step }: ReplayedStep): Problem {
  return new Problem(
    "request-unknown",
    `Of step ${step} of “${turn}” only the prompt was recorded, not the tools and what its messages are made of.`,
    "See the prompt with `charter replay` without --request. Requests are recorded whole by agents of this version.",
  );
}

/** Explains why the messages are not those that were sent: some were erased or deleted by retention, or a row was changed. */
async function notProved(
  store: ReplayStore,
  turns: readonly SessionTurn[],
  { turn, step }: ReplayedStep,
  reach: Reach,
): Promise<Problem> {
  const gone: string[] = [];
  for (const { id, state } of turns) {
    if (state === "erased") gone.push(`“${id}” (erased)`);
    else if ((await store.steps.of(id, reach)).some(({ erasedAt }) => erasedAt !== null))
      gone.push(`“${id}” (let go: its receipts were older than they are kept)`);
  }
  if (gone.length > 0)
    return new Problem(
      "erased",
      `The messages of step ${step} of “${turn}” cannot all be made again: what was said in ${listed(gone)} is gone.`,
      "See the prompt that was sent with `charter replay` without --request.",
    );
  return new Problem(
    "replay-mismatch",
    `The messages of step ${step} of “${turn}” cannot be proved by their digest.`,
    "Run `charter verify` to see what was changed behind the store's back.",
  );
}

/** A whole request of a past step as JSON, with its body as text and as a command. */
type RequestFacts = {
  readonly turn: string;
  readonly step: number;
  readonly number: number;
  readonly at: string;
  readonly digest: string;
  readonly proved: true;
  readonly receiver: string | null;
  readonly request: ModelRequest;
  /** The body; null where no provider's package made one. `says`: whether it is the body that was sent, in one sentence. */
  readonly body: BodyFacts | null;
  /** Requests for second opinions while its tools ran: each whole, since it is recorded nowhere else. */
  readonly opinions: readonly { readonly model: string; readonly request: ModelRequest }[];
};

type BodyFacts = Omit<ReplayedBody, "sent"> & {
  readonly sent: Omit<SentBody, "cache" | "escaped"> | null;
  readonly says: string;
  readonly curl: string;
};

export async function requestFacts(
  replayed: ReplayedRequest,
  env: Environment = {},
  models: ModelTable = {},
): Promise<RequestFacts> {
  const { turn, step, number, at, digest, receipt } = replayed.step;
  const made = await replayRequestBody(replayed, env, models);
  const about = { turn, step, number, at, digest, proved: true as const, receiver: receipt.receiver };
  const { opinions = [] } = (replayed.step.result ?? {}) as StepResult;
  const asked = opinions.flatMap(({ model, request }) => (request ? [{ model, request }] : []));
  return { ...about, request: replayed.request, body: made && (await withWords(made)), opinions: asked };
}

async function withWords({ sent: sentBody, ...made }: ReplayedBody): Promise<BodyFacts> {
  const { bodyText, curlOf } = await import("../delivery/models/replay-body.ts");
  const sent = sentBody && {
    digest: sentBody.digest,
    address: sentBody.address,
    package: sentBody.package,
    version: sentBody.version,
  };
  return { ...made, sent, says: bodyText({ ...made, sent }), curl: curlOf(made) };
}

/**
 * A place in the texts a turn sent. Words of the charter have spans, with the amendment that wrote each part where there is one;
 * all others are `said`.
 */
export type SentOccurrence = Occurrence & {
  /** The slot of the prompt that holds the words; `messages` and `tools` are the rest of the request. */
  readonly slot: string;
  /** The text that the offsets refer to: the slot, a message, a result, a tool's description. */
  readonly text: string;
  /** The amendment that wrote each span, "original", or nothing where none did; empty where that is so of all. */
  readonly authors: Authors;
  readonly said?: Utterance;
};

/** The author of words that are not the charter's, and the turn in which they were said. */
export type Utterance = {
  readonly what: Exclude<MessageOrigin["kind"], "section" | "results"> | "call" | "result" | "tool";
  readonly turn: string | null;
  /** The tool that was called, gave the result, or is described. */
  readonly tool?: string;
  readonly schedule?: string;
};

/** Options of `whyIn`: words, and the turn that sent them; its last step, unless given. */
export type WhyQuery = { readonly turn: string; readonly words: string; readonly step?: number };

type WhyStore = Pick<Store, "turns" | "steps" | "sessions" | "history">;

/**
 * Says where words that a turn sent came from. Words of the charter: section, source, revision, trust, and the amendment that
 * wrote them; others: who said them in which turn. The answer comes from the turn's receipt, whatever its charter has become
 * since. A Problem where words are not found, and not all that was sent is recorded.
 */
export async function whyIn(store: WhyStore, asked: WhyQuery): Promise<readonly SentOccurrence[]> {
  const { turn, words, step } = Object(asked) as WhyQuery;
  if (!isText(turn) || !isText(words))
    throw badArgument(`What whyIn was asked is ${kindOf(asked)}.`, "Give whyIn(store, { turn, words }).");
  const { scope } = await store.turns.get(turn);
  const { found, missing } = await whyInStep(store, { ...(await store.steps.replay(turn, step)), scope }, words);
  if (found.length === 0 && missing) throw missing;
  return found;
}

type WhyAnswer = {
  readonly found: readonly SentOccurrence[];
  /** The reason messages and tools could not be searched. */
  readonly missing?: Problem;
};

/** Says the same of a step that was replayed. */
export async function whyInStep(
  store: WhyStore,
  step: ReplayedStep & { readonly scope: Scope },
  words: string,
): Promise<WhyAnswer> {
  const ofCharter = await inSlots(store, step, words);
  try {
    const { tools, messages } = await replayMessages(store, step);
    const others = [...tools.map(toolText), ...messages.flatMap(({ message, origin }) => textsIn(message, origin))];
    const spoken = others.flatMap(({ slot, text, said }) =>
      why({ text, spans: [{ ...nobody, end: text.length }] }, words).map(
        ({ start, end }): SentOccurrence => ({ slot, start, end, spans: [], authors: [], text, said }),
      ),
    );
    return { found: [...ofCharter, ...spoken] };
  } catch (error) {
    rethrowUnlessProblem(error);
    return { found: ofCharter, missing: error };
  }
}

/** A span for texts that belong to no section. */
const nobody: Span = { start: 0, end: 0, section: "", layer: "", source: "", revision: null, trust: "own" };

async function inSlots(
  { history }: Pick<Store, "history">,
  { scope, receipt, slots }: Pick<ReplayedStep, "receipt" | "slots"> & { readonly scope: Scope },
  words: string,
): Promise<SentOccurrence[]> {
  const owners = new Map(receipt.slots.flatMap(({ sections }) => sections.map(({ name, whose }) => [name, whose])));
  const copyOf = (section: string) => (owners.get(section) === "user" ? scope : { agent: scope.agent });
  const occurrences: SentOccurrence[] = [];
  for (const [index, { slot, text }] of slots.entries()) {
    const matches = why({ text, spans: spansOf(receipt.slots[index] as SentSlot) }, words);
    const authors = await authorsIn(history, copyOf, text, matches);
    occurrences.push(...matches.map((one) => ({ ...one, slot, text, authors: authors.get(one) ?? [] })));
  }
  return occurrences;
}

function spansOf({ sections }: SentSlot): Span[] {
  let start = 0;
  return sections.flatMap(({ name, layer, spans }) =>
    spans.map(({ length, ...span }) => {
      const from = start;
      start += length;
      return { ...span, section: name, layer, start: from, end: start };
    }),
  );
}

type SaidText = { readonly slot: string; readonly text: string; readonly said: Utterance };

function toolText({ name, description, input }: ToolOffer): SaidText {
  const text = [name, description, JSON.stringify(input)].join("\n");
  return { slot: "tools", text, said: { what: "tool", turn: null, tool: name } };
}

/** Lists the texts of a message with their author; sections among the messages are slots of the receipt. */
function textsIn(message: Message, { kind, ...about }: MessageOrigin): SaidText[] {
  if (kind === "section") return [];
  const textOf = (text: string, what: Utterance["what"], tool?: string): SaidText => ({
    slot: "messages",
    text,
    said: { what, ...about, ...(tool === undefined ? {} : { tool }) },
  });
  if (message.role === "tool") return message.results.map(({ name, output }) => textOf(output, "result", name));
  const words = textOf(message.text, kind === "results" ? "changed" : kind);
  if (message.role !== "assistant") return [words];
  return [words, ...message.calls.map(({ name, input }) => textOf(input, "call", name))];
}
