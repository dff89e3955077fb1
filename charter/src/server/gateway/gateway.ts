import type { Context, Hono } from "hono";
import { isRunnerGone } from "../../agent/agent.ts";
import type { ToolOutput } from "../../agent/tool.ts";
import type { AgentEvent, RunTurnOptions, TurnOutcome } from "../../agent/turn-interface.ts";
import type { ToolCall } from "../../delivery/model.ts";
import type { Host } from "../../host/host.ts";
import { readAgents } from "../../operations/agents.ts";
import { type Caller, notAllowed, notFound, ownScopeFor, type Person } from "../../operations/caller.ts";
import { createBoundedMap } from "../../prompt/bounds.ts";
import { counted, listed, Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";
import { sha256 } from "../../store/texts/packing.ts";
import type { Turn } from "../../store/turns/turn.ts";
import type { ApiEnv, RouteContext } from "../api.ts";
import type { GatewayOptions } from "../config.ts";
import { chatErrorOf, type ProblemFacts, problemAnswer, problemFactsFor, statusFor } from "../http/error.ts";
import { invalidAnswer, readJson } from "../operation-routes.ts";
import { checkedParts } from "../turns/take-turn.ts";
import { createTurnSse, shutOut, startTurn, type TurnHandle } from "../turns/turn-stream.ts";
import { sseHeaders } from "../turns/ui-stream.ts";
import { completionOf, firstChunk, lastChunks, type Stretch } from "./chat-answer.ts";
import { type ChatRequest, type Round, readChatRequest } from "./chat-request.ts";
import { inputOf, placeOf } from "./chat-turn.ts";
import { extensionFor } from "./extension.ts";

/**
 * Serves agents as models of OpenAI's API: `/v1/models` and `/v1/chat/completions`. The agent's tools run here, its history is
 * what is on record, and a request that a client repeats joins its turn.
 */
export function serveGateway(app: Hono<ApiEnv>, serving: RouteContext, options: GatewayOptions): void {
  const { host, operator } = serving;
  const turns = createChatTurns(serving, options);
  const agentsOf = async (context: Context<ApiEnv>) => {
    const caller = checkCaller(context);
    const agents = await readAgents(host.store, caller);
    return agents.map(({ name, createdAt }) => modelOf(name, createdAt));
  };
  app.get("/v1/models", async (context) => context.json({ object: "list", data: await agentsOf(context) }));
  app.get("/v1/models/:model", async (context) => {
    const model = context.req.param("model");
    const found = (await agentsOf(context)).find(({ id }) => id === model);
    if (!found) throw notFound(`agent “${model}”`);
    return context.json(found);
  });
  app.post("/v1/chat/completions", async (context) => {
    const caller = checkCaller(context);
    const invalid: { at: string; reason: string }[] = [];
    const request = readChatRequest(await readJson(context), invalid);
    if (!request) return invalidAnswer(context, invalid);
    const scope = await ownScopeFor({ store: host.store, caller, operator }, request.agent);
    const turn = await turns.find(context, request, scope);
    return request.streams ? streamed(context, serving, request, turn) : answered(context, serving, request, turn);
  });
}

/** Requests are for programs and pages of others: a cookie of ours is never among what they send on purpose. */
function checkCaller(context: Context<ApiEnv>): Person {
  const caller = context.get("caller");
  const isPerson = caller.kind === "operator" || caller.kind === "user";
  if (!isPerson || caller.by === "cookie" || caller.by === "chat-cookie") throw notAllowed("turns over /v1");
  return caller;
}

function modelOf(name: string, createdAt: string) {
  return { id: name, object: "model", created: Math.floor(Date.parse(createdAt) / 1000), owned_by: "charter" };
}

/** A turn as clients of this wire see it: stretch by stretch, each the answer to one request. */
type ChatTurn = {
  /** Resolves when the turn is on record. */
  readonly begun: Promise<{ readonly turn: string; readonly session: string }>;
  /** The stretch that answers a request with so many rounds of results. */
  readonly stretch: (round: number) => Promise<Ending>;
  readonly outcome: Promise<unknown>;
  /** Session in which it waits for its client; undefined while it does not. */
  readonly waitsIn: () => string | undefined;
  /** Gives it results of calls that it waits for. Rounds that were given before are known. */
  readonly give: (rounds: readonly Round[]) => void;
};

/** End of a stretch: what is said, or why nothing is. */
type Ending = Stretch | { readonly problem: ProblemFacts; readonly stopped?: boolean };

/** Milliseconds in which a repeated request finds the turn it repeats on record: longer than any client goes on trying. */
const maxRepeatMs = 900_000;

/**
 * Characters that clients may have brought to the hosts that are kept, each of which takes some ten bytes; and what a host counts for
 * by itself. Some pages' system message changes with each question. A turn whose host is gone has a new one, which takes longer.
 */
const [maxHostChars, minHostChars] = [1_000_000, 5_000];

/** Beginning of the keys of a user's turns. */
function keyOf({ agent, user }: ChatScope): string {
  return `${JSON.stringify([agent, user])} `;
}

type ChatScope = { readonly agent: string; readonly user: string };

function createChatTurns(serving: RouteContext, { system: trust }: GatewayOptions) {
  const { host, stoppable } = serving;
  const { store } = host;
  const live = new Map<string, ChatTurn>();
  /** The turn that waited last for its client, by user and session: a session has one turn at a time. */
  const waiting = new Map<string, ChatTurn>();
  const hosts = createBoundedMap<string, { readonly host: Host; readonly chars: number }>(
    maxHostChars,
    ({ chars }) => minHostChars + chars,
  );
  /** Returns the host whose agents have what the client brings. Agents are kept with it, so the newest are kept too. */
  const hostFor = ({ system, isOnce, tools }: ChatRequest): Host => {
    const extend = extensionFor({ system, isOnce, tools }, trust);
    if (!extend) return host;
    const brought = JSON.stringify([system, isOnce, tools]);
    const key = sha256(brought);
    const extended = hosts.get(key)?.host ?? host.at({ forUsers: true, extend });
    hosts.set(key, { host: extended, chars: brought.length });
    return extended;
  };
  const start = (context: Context<ApiEnv>, request: ChatRequest, scope: ChatScope, from?: Turn): ChatTurn => {
    const caller = context.get("caller");
    const access = context.get("access");
    const named = from?.session ?? context.req.header("x-charter-session");
    const open = async (watching: Watching) => {
      const others = async () =>
        (await readAgents(store, caller)).map(({ name }) => name).filter((name) => name !== scope.agent);
      const place =
        named === undefined ? await placeOf(store, scope, request, others) : { session: named, missing: [] };
      const { missing, session, ...about } = place;
      await closeWaiting(scope, session);
      const input = checkedParts(inputOf(from ? [] : request.input, missing, request.rounds));
      const { output, shown, rounds, answerTokens } = request;
      const asked = {
        ...{ ...scope, ...about, session, input, shown: shown[0], channel: "web" },
        ...(caller.context === undefined || caller.kind === "operator" ? {} : { context: caller.context }),
        ...(output === undefined ? {} : { output }),
        ...(answerTokens === undefined ? {} : { limits: { answerTokens } }),
        ...(rounds.length > 0 || missing.some(({ foreign }) => foreign) ? { foreign: true as const } : {}),
      };
      const renews = named === undefined ? { onNewSession: () => {} } : {};
      return startTurn(asked, { host: hostFor(request), stoppable, caller, access, ...watching, ...renews });
    };
    const turn = openChatTurn(open, request.rounds.length, (session) => {
      const place = keyOf(scope) + session;
      waiting.set(place, turn);
      const leave = () => waiting.get(place) === turn && waiting.delete(place);
      turn.outcome.then(leave, leave);
    });
    return turn;
  };
  /** Stops the turn that waits for its client in a session: it says something else instead. The model is told. */
  const closeWaiting = async (scope: ChatScope, session: string) => {
    const turn = waiting.get(keyOf(scope) + session);
    if (turn?.waitsIn() === undefined) return;
    stoppable.stop((await turn.begun).turn);
    await turn.outcome.catch(() => {});
  };
  return {
    find: async (context: Context<ApiEnv>, request: ChatRequest, scope: ChatScope): Promise<ChatTurn> => {
      const key = `${keyOf(scope)}${request.shown[0]}`;
      const isRepeat = Number(context.req.header("x-stainless-retry-count")) > 0;
      const isMore = request.rounds.length > 0;
      const running = live.get(key);
      if (running && (isRepeat || isMore)) {
        running.give(request.rounds);
        return running;
      }
      const waitsIn = running?.waitsIn();
      if (waitsIn !== undefined) await closeWaiting(scope, waitsIn);
      const recorded = isRepeat || isMore ? await recordedTurn(host, context.get("caller"), scope, request) : undefined;
      if (recorded && "stretch" in recorded) return recorded;
      const turn = start(context, request, scope, recorded);
      live.set(key, turn);
      const forget = () => {
        if (live.get(key) === turn) live.delete(key);
      };
      turn.outcome.then(forget, forget);
      context.get("hold")(turn.outcome);
      return turn;
    },
  };
}

type Watching = {
  readonly on: (event: AgentEvent) => void;
  readonly onClientCalls: NonNullable<RunTurnOptions["onClientCalls"]>;
};

/** Calls that wait for the client, which answers with so many rounds of results. */
type WaitingCalls = {
  readonly round: number;
  readonly calls: readonly ToolCall[];
  readonly resolve: (results: readonly ToolOutput[]) => void;
};

function openChatTurn(
  start: (watching: Watching) => Promise<TurnHandle>,
  givenRounds: number,
  onWaits: (session: string) => void,
): ChatTurn {
  const begun = Promise.withResolvers<{ turn: string; session: string }>();
  const stretches = new Map([[givenRounds, Promise.withResolvers<Ending>()]]);
  let newest = givenRounds;
  let session: string | undefined;
  let waiting: WaitingCalls | undefined;
  const end = (ending: Ending) => stretches.get(newest)?.resolve(ending);
  const on = (event: AgentEvent) => {
    if (event.kind !== "turn-start") return;
    session = event.session;
    begun.resolve({ turn: event.turn, session });
  };
  const onClientCalls: Watching["onClientCalls"] = (calls) => {
    const { promise, resolve } = Promise.withResolvers<readonly ToolOutput[]>();
    end({ text: null, calls, finish: "tool_calls" });
    newest += 1;
    stretches.set(newest, Promise.withResolvers<Ending>());
    waiting = { round: newest, calls, resolve };
    onWaits(session as string);
    return promise;
  };
  const run = async () => {
    const handle = await start({ on, onClientCalls });
    try {
      end(endingOf(handle, await handle.outcome));
    } catch (thrown) {
      if (session === undefined) throw thrown;
      end({ problem: handle.problemOf({ thrown }) });
    }
  };
  const outcome = run();
  // Whoever asks reads the failure with their own request; without anyone it is on record.
  const first = stretches.get(newest)?.promise;
  outcome.catch((error: unknown) => {
    begun.reject(error);
    stretches.get(newest)?.reject(error);
  });
  for (const one of [begun.promise, first]) one?.catch(() => {});
  return {
    begun: begun.promise,
    outcome,
    waitsIn: () => (waiting ? session : undefined),
    stretch: async (round) => {
      const stretch = stretches.get(round);
      if (stretch) return stretch.promise;
      throw new Problem(
        "bad-input",
        `The turn waits for no ${counted(round, "round")} of results.`,
        "Send what its last answer asked for.",
      );
    },
    give: (rounds) => {
      if (waiting?.round !== rounds.length) return;
      const { calls, resolve } = waiting;
      const results = rounds.at(-1)?.results ?? new Map();
      const missing = calls.filter(({ id }) => !results.has(id));
      if (missing.length > 0)
        throw new Problem(
          "bad-input",
          `There is no result of ${listed(missing.map(({ id }) => id))}.`,
          "Send a result of each call that was asked for, or what the user says instead.",
        );
      waiting = undefined;
      resolve(calls.map(({ id }) => ({ text: results.get(id) as string })));
    },
  };
}

function endingOf(handle: TurnHandle, outcome: TurnOutcome): Ending {
  if (outcome.state === "failed" || outcome.reply === null) return { problem: handle.problemOf(outcome) };
  const isCut = outcome.notices.some(({ code }) => code === "answer-cut");
  return { text: outcome.reply, calls: [], finish: isCut ? "length" : "stop", usage: outcome.usage };
}

/**
 * Finds on record the turn that a repeated request began, and what it came to. It is never begun a second time: results that come
 * for one that is over without an answer are told in the next turn of its session, which is returned as the turn to go on from.
 */
async function recordedTurn(
  { store, clock }: Host,
  caller: Caller,
  scope: ChatScope,
  { shown, rounds }: ChatRequest,
): Promise<ChatTurn | Turn | undefined> {
  const [found] = await store.turns.withShown(scope, shown);
  if (!found || clock().getTime() - Date.parse(found.startedAt) > maxRepeatMs) return undefined;
  const turn = found.state === "running" ? await endedTurn(store, found, rounds) : found;
  const { id, session, state, reply } = turn;
  if (state === "erased") return undefined;
  if (rounds.length > 0 && (state === "failed" || state === "interrupted")) return turn;
  const facts = (await store.turns.factsOf([id])).get(id);
  const problem = () => {
    const { code = "turn-interrupted", message = `The turn “${id}” was interrupted.` } = facts?.because ?? {};
    return problemFactsFor(caller, {
      code,
      message,
      hint: "It is on record. Ask again, and the conversation goes on.",
    });
  };
  const ending: Ending =
    state === "answered" ? { text: reply, calls: [], finish: "stop", usage: facts?.usage } : { problem: problem() };
  const answered = Promise.resolve(ending);
  const begun = Promise.resolve({ turn: id, session: session ?? "" });
  return { begun, stretch: () => answered, outcome: answered, waitsIn: () => undefined, give: () => {} };
}

/** Ends a turn whose process is gone; refuses one that another process runs. */
async function endedTurn(store: Store, { id, scope }: Turn, rounds: readonly Round[]): Promise<Turn> {
  const ended = await store.turns.interruptAbandoned({ agent: scope.agent, isGone: isRunnerGone });
  const turn = ended.find((one) => one.id === id);
  if (turn) return turn;
  throw rounds.length === 0
    ? new Problem(
        "turn-elsewhere",
        `The turn “${id}” that this request repeats is run by another process.`,
        "Ask again in a moment: its answer is recorded.",
      )
    : new Problem(
        "turn-elsewhere",
        `The turn “${id}” waits for these results in another process.`,
        "Send them to the process that asked for them; behind a load balancer, keep each client at one. If that process is gone, send them again in a minute.",
      );
}

async function answered(
  context: Context<ApiEnv>,
  { host }: RouteContext,
  { agent, isOnce, rounds }: ChatRequest,
  turn: ChatTurn,
): Promise<Response> {
  const ending = await Promise.race([turn.stretch(rounds.length), shutOut(context)]);
  const about = await turn.begun;
  const headers = headersOf(about);
  if ("problem" in ending) {
    const { turn: id } = about;
    // Repeating it would not help: what can be tried again was, within the turn.
    return problemAnswer(context, ending.problem, {
      more: { turn: id },
      headers: { ...headers, "x-should-retry": "false" },
    });
  }
  const facts = { turn: about.turn, model: isOnce ? `${agent}:once` : agent, at: host.clock() };
  return context.json(completionOf(ending, facts), 200, headers);
}

function headersOf({ turn, session }: { readonly turn: string; readonly session: string }) {
  return { "x-charter-turn": turn, "x-charter-session": session };
}

const behind = {
  error: {
    message: "You read more slowly than this turn goes on, so its stream ends here. The turn does not.",
    ...{ type: "server_error", param: null, code: "too-slow" },
  },
};

async function streamed(
  context: Context<ApiEnv>,
  { host, log }: RouteContext,
  { agent, isOnce, rounds, tellsUsage }: ChatRequest,
  turn: ChatTurn,
): Promise<Response> {
  const stretch = turn.stretch(rounds.length);
  // Where the turn does not even begin, that is the answer.
  stretch.catch(() => {});
  const ended = shutOut(context);
  const about = await Promise.race([turn.begun, ended]);
  const facts = { turn: about.turn, model: isOnce ? `${agent}:once` : agent, at: host.clock() };
  const stream = createTurnSse<object>({ behind });
  const caller = context.get("caller");
  const fail = (problem: ProblemFacts) => {
    const status = statusFor(caller, problem.code);
    log?.({ request: context.get("requestId"), turn: about.turn, status, code: problem.code });
    stream.cutOff(chatErrorOf(problem, status, { turn: about.turn }));
  };
  stream.send(firstChunk(facts));
  Promise.race([stretch, ended]).then(
    (ending) => {
      if ("problem" in ending) return fail(ending.problem);
      for (const one of lastChunks(ending, facts, tellsUsage)) stream.send(one);
      stream.end();
    },
    (error: unknown) => fail(problemFactsFor(caller, error as Problem)),
  );
  return context.body(stream.body, 200, { ...sseHeaders, ...headersOf(about) });
}
