import { handsIn, handsOfMessage, type PlacedHands } from "../../agent/hands.ts";
import type { NextRequest } from "../../agent/next-request.ts";
import type { MessageOrigin } from "../../agent/replay.ts";
import { usualChannels } from "../../charters/assistant/sections.ts";
import { cacheTokensOf, sumTokens } from "../../delivery/bill.ts";
import { messageTokens } from "../../delivery/cost.ts";
import type { Message } from "../../delivery/model.ts";
import { offerTokens, predict, prefixIn } from "../../delivery/prediction.ts";
import { loadReceiverTokenizer, type Receiver, receiverFacts } from "../../delivery/receiver.ts";
import { holds } from "../../host/agent-settings.ts";
import type { Host, PreviewOptions, SnapshotQuery } from "../../host/host.ts";
import { allSections, charterData, type Edition } from "../../prompt/charter.ts";
import { rethrowUnlessProblem } from "../../prompt/problem.ts";
import { promptFacts } from "../../prompt/prompt.ts";
import type { Placement, SectionText } from "../../prompt/receipt.ts";
import type { StepResult } from "../../prompt/step-result.ts";
import type { Tokenizer } from "../../prompt/tokens.ts";
import type { AgentRecord } from "../../store/agents.ts";
import { copyScope, isCounterpart, scopeNamed } from "../../store/scope.ts";
import type { Store } from "../../store/store.ts";
import { sha256 } from "../../store/texts/packing.ts";
import { unknownTurn } from "../../store/turns/turn.ts";
import { type FoundStep, findStep } from "../turns/replay.ts";

/** The prompt of the next turn. */
export async function textPart(host: Host, query: SnapshotQuery & PreviewOptions) {
  const { prompt, tokenizer } = await host.preview(query);
  return promptFacts(prompt, tokenizer, sha256);
}

/** Inputs of the next prompt. */
export async function inputsPart(host: Host, query: SnapshotQuery) {
  const { declaredTurn, readings, edition, receiver, tokenizer, toolTokens } = await host.gather(query);
  const { agent, user = null, channel = null } = query;
  return {
    ...{ agent, user, channel, at: declaredTurn.turn.now, charter: charterData(declaredTurn.charter), readings },
    ...{ notices: declaredTurn.notices, edition, receiver: readerFacts(receiver, tokenizer), toolTokens },
    channels: channelsOf(host),
  };
}

function channelsOf({ channels }: Host): string[] {
  return [...new Set([...Object.keys(usualChannels), ...channels])];
}

/** Facts of a receiver with the tokenizer that counts here, so that a page can count with the same one. */
function readerFacts({ name, slots, window, cache, price }: Receiver, { name: counts, exact }: Tokenizer) {
  const tokenizer = { name: counts, exact };
  return { name, slots, window, tokenizer, cacheMin: cache.kind === "none" ? null : cache.min, price };
}

/** The request that is asked for: of the next turn, of a new conversation at a time, or of a past turn. */
export type RequestQuery = SnapshotQuery & {
  readonly session?: string | undefined;
  readonly turn?: string | undefined;
  readonly edition?: Edition | undefined;
};

/** A whole request: its sections and messages, whose words each of them is, how many tokens, and how they are billed. */
export async function requestPart(host: Host, asked: RequestQuery) {
  const { agent, user = null, channel = null, turn } = asked;
  if (turn !== undefined) return { ...(await sentRequest(host, agent, turn)) };
  const record = await host.store.agents.get(agent);
  const isTried = asked.at !== undefined || asked.edition !== undefined;
  const { served } = await host.traits(record);
  const next = isTried || !served ? await openingRequest(host, asked, served) : await nextOf(host, asked);
  const { session, receiver, prediction, prefixChange, request, input, tokenizer, notices, origins, compactAt } = next;
  const { edition, cuts, omitted } = next.prompt;
  const { hands: whose, amendments } = await handsOf(host, record, asked.user, prediction.placements);
  const about = { agent, user, channel: channel ?? session?.channel ?? null };
  return {
    ...about,
    session: session && sessionFacts(session),
    ...{ sent: null, edition, channels: channelsOf(host), cuts, omitted },
    model: receiver.name,
    window: receiver.window,
    cacheMin: receiver.cache.kind === "none" ? null : receiver.cache.min,
    prefixChange,
    request,
    input,
    parts: whose.map(partFacts),
    said: saidFacts(request.messages, origins, { tokenizer, user: asked.user }),
    amendments,
    tokens: tokenFacts(
      prediction.placements,
      { ...prediction, tools: offerTokens(request.tools, tokenizer) },
      tokenizer,
    ),
    compactAt: Number.isFinite(compactAt) ? compactAt : null,
    predicted: prediction.predicted,
    billed: null,
    notices,
  };
}

/** The next request as the operator would send it; in a job's session, as the next job would. */
async function nextOf(host: Host, { agent, user, channel, session }: RequestQuery): Promise<NextRequest> {
  const named = session === undefined || session === "new" ? undefined : await host.store.sessions.find(session);
  return host.nextRequest({ agent, user: user ?? null, channel, session, operator: named?.job !== true });
}

type Opening = Pick<
  NextRequest,
  | "prompt"
  | "receiver"
  | "prediction"
  | "prefixChange"
  | "request"
  | "input"
  | "tokenizer"
  | "notices"
  | "origins"
  | "compactAt"
> & { readonly session: NextRequest["session"] };

/** The first request of a new conversation as the prompt of another time or edition makes it, or of one that is not served. */
async function openingRequest(
  host: Host,
  { session: _, turn: __, edition, ...query }: RequestQuery,
  served: boolean,
): Promise<Opening> {
  const [{ assembleReadings }, { deliver }, { offersOf }] = await Promise.all([
    import("../../host/preview.ts"),
    import("../../delivery/deliver.ts"),
    import("../../agent/toolset.ts"),
  ]);
  const { declaredTurn, readings, receiver, tokenizer, edition: usual } = await host.gather(query);
  const prompt = assembleReadings(declaredTurn, readings, { tokenizer, edition: edition ?? usual });
  const { charter } = declaredTurn;
  // The tools of one that works in a directory are known there alone.
  const offers = served ? await offersOf(await host.tools(query)) : [];
  const input: Message = { role: "user", text: "" };
  const secret = "0".repeat(32);
  const delivery = deliver({ charter, prompt, receiver, offers, added: [input], secret, sha256, tokenizer });
  const { history } = delivery;
  return {
    ...{ session: null, prompt, receiver, tokenizer, compactAt: Number.POSITIVE_INFINITY },
    prediction: predict(delivery, receiver, { reusable: null, tokenizer, sha256 }),
    prefixChange: delivery.prefixChange,
    request: delivery.request,
    input: history.indexOf(input),
    origins: history.map((one) => ({ kind: one === input ? "input" : "section", turn: null })),
    notices: prompt.notices,
  };
}

/** A request that was sent, made again from its receipt: the turn's first, unless a step is named. */
async function sentRequest(host: Host, agent: string, named: string) {
  const { store } = host;
  const step = await findStep(store, named, 1);
  const { receipt, scope } = step;
  if (scope.agent !== agent) throw unknownTurn(named);
  const [{ session, channel }, record] = await Promise.all([store.turns.get(step.turn), store.agents.get(agent)]);
  const receiver = receiverFacts(receipt.receiver ?? "");
  const tokenizer = await loadReceiverTokenizer(receiver.tokenizer);
  const placements = receipt.slots.map(({ sections, ...slot }) => ({
    ...slot,
    sections: sections.map((section): SectionText => ({ ...section, text: step.text(section) })),
  }));
  const { request, origins, notices } = await messagesSent(store, step);
  const { hands: whose, amendments } = await handsOf(host, record, scope.user, placements);
  const own = origins.findIndex(({ kind, turn }) => kind === "input" && turn === step.turn);
  const usage = (step.result as StepResult | null)?.usage;
  const history = receipt.history ?? { tokens: 0 };
  const sections = placements
    .filter(({ slot }) => slot === "system" || slot === "state")
    .flatMap((one) => one.sections);
  const besides = sections.reduce((sum, { tokens }) => sum + (tokens ?? 0), history.tokens ?? 0);
  const total = receipt.predicted ? sumTokens(receipt.predicted) : besides + offerTokens(request.tools, tokenizer);
  const tools = total - besides;
  return {
    ...{ agent, user: scope.user ?? null, channel: channel ?? null },
    session: session === null ? null : sessionFacts(await store.sessions.find(session)),
    sent: { turn: step.turn, step: step.step, at: step.at, digest: step.digest },
    ...{ edition: receipt.edition, channels: channelsOf(host), cuts: receipt.cuts, omitted: receipt.omitted },
    model: receiver.name,
    window: receiver.window,
    cacheMin: receiver.cache.kind === "none" ? null : receiver.cache.min,
    prefixChange: null,
    request,
    input: own === -1 ? null : own,
    parts: whose.map(partFacts),
    said: saidFacts(request.messages, origins, { tokenizer, user: scope.user }),
    amendments,
    tokens: tokenFacts(placements, { total, tools, history }, tokenizer),
    compactAt: null,
    predicted: receipt.predicted ?? null,
    billed: usage ? cacheTokensOf(usage) : null,
    notices: [...receipt.notices, ...notices],
  };
}

/** Returns the messages of a past request; without them, where they are gone, its prompt is still told. */
async function messagesSent(store: Store, step: FoundStep) {
  const { replayMessages, replayRequest } = await import("../../agent/replay.ts");
  try {
    const { messages } = await replayMessages(store, step);
    const { request } = await replayRequest(store, step.turn, step.step);
    return { request, origins: messages.map(({ origin }) => origin), notices: [] };
  } catch (error) {
    rethrowUnlessProblem(error);
    const request = { tools: [], system: [], messages: [] };
    return { request, origins: [], notices: [{ code: error.code, message: error.message }] };
  }
}

/** Finds the hands of sections: text that was never amended is the operator's if the settings have it, else the charter's. */
async function handsOf(host: Host, record: AgentRecord, user: string | undefined, placements: readonly Placement[]) {
  const scope = scopeNamed(record.name, user ?? null);
  const { charter } = (await host.snapshot(scope)).declaredTurn;
  const sections = new Map(allSections(charter).map((placed) => [placed.section.name, placed]));
  const { placements: hands, amendments } = await handsIn(placements, {
    history: host.store.history,
    copyOf: (name) => {
      const placed = sections.get(name);
      return placed ? copyScope(placed, scope) : scope;
    },
    originalBy: (name) => {
      const { original = "" } = sections.get(name)?.section ?? {};
      return original !== "" && holds(record.settings, original) ? "operator" : "charter";
    },
  });
  return { hands, amendments };
}

function saidFacts(
  messages: readonly Message[],
  origins: readonly MessageOrigin[],
  { tokenizer, user }: { readonly tokenizer: Tokenizer; readonly user: string | undefined },
) {
  const by = user !== undefined && isCounterpart(user) ? "stranger" : "user";
  return origins.flatMap((origin, at) => {
    const message = messages[at];
    if (!message || origin.kind === "section") return [];
    const { kind, turn, schedule } = origin;
    const about = { message: at, kind, turn, ...(schedule === undefined ? {} : { schedule }) };
    return [{ ...about, hands: handsOfMessage(message, origin, by), tokens: messageTokens(message, tokenizer) }];
  });
}

function tokenFacts(
  placements: readonly Placement[],
  {
    total,
    tools,
    history,
  }: { readonly total: number; readonly tools: number; readonly history: { readonly tokens: number | null } },
  { name, exact }: Tokenizer,
) {
  const prefix = prefixIn({ placements }).reduce((sum, { tokens }) => sum + (tokens ?? 0), 0);
  const said = history.tokens ?? 0;
  return { total, tools, prefix, history: said, state: total - tools - prefix - said, tokenizer: name, exact };
}

function partFacts({ slot, message, sections }: PlacedHands) {
  return {
    slot: slot as "system" | "update" | "foreign" | "state" | "compaction",
    message: message ?? null,
    sections: sections.map(({ name, layer, mutability, stability, trust, source, revision, tokens, text, hands }) => ({
      ...{ name, layer, mutability, stability, trust, source, revision, tokens: tokens ?? 0, text },
      spans: hands,
    })),
  };
}

function sessionFacts({ id, channel, startedAt, lastAt }: NonNullable<NextRequest["session"]>) {
  return { id, channel, startedAt, lastAt };
}
