import { isRunnerGone } from "../../agent/agent.ts";
import { nextSurvival, parseTier, type SurvivalTier } from "../../agent/survival.ts";
import type { TurnInput } from "../../agent/turn-interface.ts";
import type { Scope } from "../../amend/amendment.ts";
import type { Host } from "../../host/host.ts";
import { backoffMs, createBoundedMap } from "../../prompt/bounds.ts";
import { preview } from "../../prompt/character.ts";
import { quoted } from "../../prompt/fence.ts";
import { Problem } from "../../prompt/problem.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { Automaton } from "../../store/automata/automata.ts";
import type { InboxMessage } from "../../store/conversations/inbox-row.ts";
import type { NewId } from "../../store/deps.ts";
import { messageTaken } from "../../store/event.ts";
import { counterpartKey, counterpartOf, isCounterpart } from "../../store/scope.ts";
import type { Store } from "../../store/store.ts";
import type { HeldCall } from "../../store/turns/held-calls.ts";
import type { Turn } from "../../store/turns/turns.ts";
import { isTransient, repeatEvery, type Sleep } from "../loop.ts";
import { findTurn, nothingReported } from "../turn-record.ts";
import {
  approvedInput,
  createStateChanges,
  draftsOf,
  failureOf,
  isForOneMessage,
  messageInput,
  messageOutcome,
  obstacleOf,
  ownTurnInput,
  type PreviousCall,
  type PreviousTurn,
  phaseEvents,
  type StateChanges,
  stateAfter,
  type TurnProblem,
  type TurnResult,
} from "./messages.ts";

/** The result of a round. `again`: there may be more to do at once. */
type RoundResult = { readonly turns: number; readonly again: boolean };

/** A round for an agent, by the process in charge: whatever waits for a turn gets one. */
type Round = (row: Automaton, signal: AbortSignal) => Promise<RoundResult>;

export function createRound(life: Life): Round {
  const { host, agent, clock, random, everyMs, late, log } = life;
  const { store } = host;
  const backoffs = createBackoffs(clock, random);
  /** Decides whether the round continues after a turn. While no model answers, no other message is tried. */
  const goesOn = async ({ turn, lost, problem }: LeasedTurnEnd, isAway: boolean): Promise<boolean> => {
    if (lost) return false;
    const obstacle = obstacleOf(problem);
    if (obstacle === undefined) backoffs.succeeded(model);
    else backoffs.failed(model);
    if (problem && obstacle === "away") {
      // Stores only the code: a provider may repeat what it was sent, so its text stays with the messages, and is erased with
      // them.
      await store.inbox.markAway(agent, { because: problem.code, turn });
      log("model-away", { code: problem.code });
    } else if (isAway && obstacle === undefined) await store.inbox.markBack(agent);
    return obstacle === undefined;
  };
  return async (row, signal) => {
    const survival = await checkSurvival(life, row);
    const record = await store.agents.get(agent);
    const rest = restOf(record, row, clock()) ?? survival.rest;
    const state = createStateChanges(row.state, clock);
    // A turn that nobody finished: its process died, or its store went away.
    const left = stateAfter(row.state, "tick") === undefined ? row.turn : null;
    await recoverApprovedTurn(life, left);
    state.note(rest === undefined ? "tick" : "rest", left, rest);
    const changes = state.take();
    if (changes.length > 0 || survival.set) await store.automata.record(agent, changes, survival.set);
    if (state.state() === "Faulted") return { turns: 0, again: true };
    if (rest === "frozen" || rest === "asleep") return { turns: 0, again: false };
    const work = await store.automata.findWork(agent);
    if (work.taken) await recoverMessages(life);
    if (rest !== undefined || !backoffs.isOver(model)) return { turns: 0, again: false };
    // Leaves a charter that cannot be read, or a missing key, to the operator: neither costs a message a try.
    await host.traits(record);
    await host.modelOf(agent);
    const own = !survival.isLow && isOwnTurnDue(row.ownTurnAt, clock(), everyMs);
    const hasWork = work.waiting || work.taken || (work.approved && !survival.isLow) || own;
    if (row.away && hasWork && !(await isModelBack(life, AbortSignal.any([signal, late])))) {
      backoffs.failed(model);
      return { turns: 0, again: false };
    }
    let turns = 0;
    const ended = async (end: LeasedTurnEnd): Promise<boolean> => {
      turns += 1;
      return (await goesOn(end, row.away !== null)) && !signal.aborted;
    };
    const result = (again = true) => ({ turns, again: again && turns > 0 });
    for (const calls of survival.isLow || !work.approved ? [] : await approvedCalls(life)) {
      const key = `call ${calls[0]?.id}`;
      if (!backoffs.isOver(key)) continue;
      const end = await takeApprovedTurn(life, calls);
      if (!end.made) backoffs.failed(key);
      if (!(await ended(end))) return result(false);
    }
    const batch = work.waiting || work.taken ? await takeBatchTurn(life) : undefined;
    if (batch && !(await ended(batch))) return result(false);
    if (own && !(await ended(await takeOwnTurn(life)))) return result(false);
    return result();
  };
}

const model = "model";

/** Returns why the operator lets it take no turns. */
function restOf({ frozen }: AgentRecord, { asleepUntil }: Automaton, now: Date): "frozen" | "asleep" | undefined {
  if (frozen === "agent") return "frozen";
  return asleepUntil !== null && asleepUntil > now.toISOString() ? "asleep" : undefined;
}

/**
 * Returns true if turns may be taken again: a model that gave no answer is asked one word first. While it does not answer, no
 * message is tried and no turn is paid for. If it answers at once, it was there when it failed, and the try counts.
 */
async function isModelBack({ host, agent, log }: Life, signal: AbortSignal): Promise<boolean> {
  const { inbox } = host.store;
  try {
    const probed = await host.probe(agent, { signal });
    // A model that cannot be probed is asked with the next turn.
    if (probed === undefined) return true;
    if (signal.aborted) return false;
    if (!probed.ok) await inbox.markAway(agent, { because: failureOf(probed) });
    else await inbox.markBack(agent);
    log(probed.ok ? "model-back" : "model-away", probed.ok ? {} : { code: probed.code });
    return probed.ok;
  } catch (error) {
    // A probe that may not be paid reveals nothing about the model.
    if (!(error instanceof Problem) || isTransient(error)) throw error;
    log("trouble", { code: error.code });
    return false;
  }
}

/** Returns true if a turn of its own is due. A clock that was set back delays none. */
export function isOwnTurnDue(ownTurnAt: string | null, now: Date, everyMs: number): boolean {
  return ownTurnAt === null || Math.abs(now.getTime() - Date.parse(ownTurnAt)) >= everyMs;
}

/** Takes a turn that nobody asked for. Having nothing to do is a result, not a failure. */
async function takeOwnTurn(life: Life): Promise<LeasedTurnEnd> {
  const { host, agent, clock, log } = life;
  const { automata } = host.store;
  const id = `${life.newId()}-own`;
  const state = createStateChanges("Idle", clock);
  state.note("turn-started", id);
  // Records the time before the turn begins, so that a turn that kills its process is not repeated at once.
  await automata.record(agent, state.take(), { ownTurnAt: clock().toISOString() });
  const end = await performTurn(life, { id, input: ownTurnInput }, state);
  if (end.lost) return end;
  const quiet = (await nothingReported(host.store, id)) !== undefined;
  state.note(quiet ? "turn-quiet" : end.state === "answered" ? "turn-finished" : "turn-failed", id);
  await automata.record(agent, state.take());
  log("turn", { ...turnFacts(end), ...(quiet ? { state: "quiet" } : {}) });
  return end;
}

/** The agent's survival, and the part of it to be recorded. */
type SurvivalCheck = {
  /** The tier, where no turns are taken in it. */
  readonly rest?: string;
  /** Shows that it takes no turns of its own, and none for approved calls. */
  readonly isLow: boolean;
  readonly set?: { readonly tier: SurvivalTier; readonly goodChecks: number };
};

/** Checks the survival once: the tier gets worse at once, and better after three good checks. */
async function checkSurvival({ host, agent }: Life, row: Automaton): Promise<SurvivalCheck> {
  // Skips an agent without a grant: there is nothing to measure.
  if (row.granted === null && row.tier === "Normal") return { isLow: false };
  const { measured, unknown } = await host.survivalOf(agent);
  const { tier, goodChecks } = nextSurvival(
    { tier: parseTier(row.tier), goodChecks: row.goodChecks },
    { tier: measured, unknown },
  );
  const starves = tier === "Critical" || tier === "OutOfCycles";
  const same = tier === row.tier && goodChecks === row.goodChecks;
  return {
    isLow: tier !== "Normal",
    ...(starves ? { rest: tier } : {}),
    ...(same ? {} : { set: { tier, goodChecks } }),
  };
}

/** Pauses before a retry, for each key separately: longer after every failure in a row. */
type Backoffs = {
  readonly isOver: (key: string) => boolean;
  readonly failed: (key: string) => void;
  readonly succeeded: (key: string) => void;
};

const maxBackoffMs = 5 * 60_000;

/** Keeps pauses in memory only: a new process tries at once. */
export function createBackoffs(clock: () => Date, random: () => number): Backoffs {
  const kept = createBoundedMap<string, { readonly failures: number; readonly from: number; readonly until: number }>(
    1000,
  );
  return {
    isOver: (key) => {
      const { from, until } = kept.get(key) ?? { from: 0, until: 0 };
      const now = clock().getTime();
      // A clock that was set back ends the pause.
      return now >= until || now < from;
    },
    failed: (key) => {
      const failures = (kept.get(key)?.failures ?? 0) + 1;
      const from = clock().getTime();
      kept.set(key, {
        failures,
        from,
        until: from + backoffMs(failures - 1, random, { min: 5000, max: maxBackoffMs }),
      });
    },
    succeeded: (key) => kept.delete(key),
  };
}

/**
 * Finishes the messages that a turn took and never finished, because its process died or its store went away. A turn that was
 * answered is not asked again: its replies are sent from the record. A turn that still runs elsewhere is left alone.
 */
async function recoverMessages(life: Life): Promise<void> {
  const { host, agent, log } = life;
  const { inbox } = host.store;
  const taken = Map.groupBy(await inbox.listTaken(agent), ({ turn }) => turn ?? "");
  for (const [turn, messages] of taken) {
    const record = await endedTurn(life, turn);
    if (record?.state === "running") continue;
    const outcome = messageOutcome(messages, resultOf(record, messages));
    const { replies, refused } = await inbox.finish({ agent, turn, ...outcome });
    log("recovered", { turn, messages: messages.length, replies: replies.length, lost: refused.length });
  }
}

/** Returns the turn as it is now; one whose process is gone is marked as interrupted first. */
async function endedTurn({ host, agent }: Life, id: string): Promise<Turn | undefined> {
  const turn = await findTurn(host.store, id);
  if (turn?.state !== "running") return turn;
  await host.store.turns.interruptAbandoned({ agent, isGone: isRunnerGone });
  return findTurn(host.store, id);
}

function resultOf(turn: Turn | undefined, messages: readonly InboxMessage[]): TurnResult {
  const nothing = { reply: null, alone: true, noted: new Map<string, string>() };
  if (!turn) return { ...nothing, state: "failed", problem: workerLost };
  const { state, reply, input } = turn;
  const alone = isForOneMessage(input);
  if (state !== "answered") return { ...nothing, state, ...(state === "failed" ? { problem: turnFailed } : {}) };
  return { state, reply, alone, noted: alone ? nothing.noted : draftsOf(messages) };
}

const workerLost = { code: "worker-lost", message: "The process that took it did not come back." };
const turnFailed = { code: "turn-failed", message: "The turn gave no answer, and its process did not say why." };

/** Maximum number of messages in one turn. */
const maxMessages = 10;

/** Takes a turn with the messages of the next senders; undefined, if none wait. */
async function takeBatchTurn(life: Life): Promise<LeasedTurnEnd | undefined> {
  const { host, agent, clock, counterparts, log } = life;
  const { inbox } = host.store;
  const id = `${life.newId()}-inbox`;
  const state = createStateChanges("Idle", clock);
  state.note("turn-started", id);
  const messages = await inbox.claim(agent, id, {
    limit: maxMessages,
    counterparts,
    changes: state.take(),
    runner: life.runner,
  });
  if (messages.length === 0) return undefined;
  const senders = new Set(messages.map(({ sender }) => counterpartKey(sender)));
  const end = await performTurn(
    life,
    {
      ...{ id, input: messageInput(messages, await previousTurns(host.store, messages)), foreign: true },
      ...(senders.size === 1 ? { user: [...senders][0] as string } : {}),
      // Erased messages must not be written down again.
      isStillWanted: async () => (await inbox.countHeld(agent, id, life.runner)) === messages.length,
    },
    state,
  );
  if (end.lost) return end;
  const alone = messages.length === 1;
  const noted = alone || end.state !== "answered" ? new Map<string, string>() : draftsOf(await inbox.heldBy(agent, id));
  state.note(end.state === "answered" ? "turn-finished" : "turn-failed", id);
  const outcome = messageOutcome(messages, { ...end, alone, noted });
  const { replies, refused } = await inbox.finish({ agent, turn: id, ...outcome, changes: state.take() });
  log("turn", { ...turnFacts(end), messages: messages.length, replies: replies.length, lost: refused.length });
  return end;
}

/** Lists the earlier turns of these messages, oldest first, with their calls from the recorded steps. */
export async function previousTurns(store: Store, messages: readonly InboxMessage[]): Promise<readonly PreviousTurn[]> {
  const tried = new Map<string, string[]>();
  for (const { id, failures } of messages)
    for (const { turn } of failures) if (turn !== null) tried.set(turn, [...(tried.get(turn) ?? []), id]);
  if (tried.size === 0) return [];
  const taken = (await store.events.ofTurns([...tried.keys()])).filter(({ kind }) => kind === messageTaken);
  const senders = new Set(messages.map(({ sender }) => counterpartKey(sender)));
  return Promise.all(
    [...tried].map(async ([turn, ids]) => {
      const owners = taken.filter((event) => event.turn === turn).map(({ scope }) => scope.user);
      // A turn whose senders are no longer known may have had anyone's messages.
      const shared = owners.length === 0 || owners.some((user) => user === undefined || !senders.has(user));
      return { messages: ids, shared, calls: await callsOf(store, turn) };
    }),
  );
}

async function callsOf(store: Store, turn: string): Promise<readonly PreviousCall[]> {
  const steps = await store.steps.of(turn);
  return steps.flatMap(({ result }) => {
    const { answer, results = [] } = result ?? {};
    return (answer?.calls ?? []).map(({ id, name, input }): PreviousCall => {
      const toolResult = results.find(({ call }) => call === id);
      const about = toolResult
        ? { output: toolResult.output, ...(toolResult.failed ? { failed: true as const } : {}) }
        : {};
      return { name, input, ...about };
    });
  });
}

/** Lists the approved calls that no user's next turn will run: those of counterparts and of the agent itself, by scope. */
async function approvedCalls({ host, agent }: Life): Promise<readonly (readonly HeldCall[])[]> {
  const calls: HeldCall[] = [];
  for (const limit = 200; ; ) {
    const page = await host.store.calls.list({ agent, status: "approved", limit, offset: calls.length });
    calls.push(...page);
    if (page.length < limit) break;
  }
  // A user's calls run with that user's next turn, while the user is there; the operator's with the operator's.
  const ofCounterparts = calls.filter(({ scope: { user } }) => user !== undefined && isCounterpart(user));
  const own = [...(await host.store.calls.approved({ agent }, { job: true, channel })), ...ofCounterparts];
  return [...Map.groupBy(own, ({ scope }) => scope.user ?? "").values()];
}

/** Takes a turn for the approved calls of one scope. `made`: they are no longer approved, but done or failed. */
async function takeApprovedTurn(
  life: Life,
  calls: readonly HeldCall[],
): Promise<LeasedTurnEnd & { readonly made: boolean }> {
  const { host, agent, clock, log } = life;
  const [first] = calls as [HeldCall, ...HeldCall[]];
  const { user } = first.scope;
  const id = `${life.newId()}${callMark}${first.id}`;
  const state = createStateChanges("Idle", clock);
  state.note("turn-started", id);
  await host.store.automata.record(agent, state.take());
  const input = approvedInput(user === undefined ? undefined : counterpartOf(user));
  const end = await performTurn(life, { id, input, ...(user === undefined ? {} : { user }) }, state);
  if (end.lost) return { ...end, made: true };
  const made = (await host.store.calls.get(first.id)).status !== "approved";
  if (made) await recordExchange(life, first.scope, { id, calls, ...end });
  state.note(end.state === "answered" ? "turn-finished" : "turn-failed", id);
  await host.store.automata.record(agent, state.take());
  log("turn", { ...turnFacts(end), calls: calls.length });
  return { ...end, made };
}

const callMark = "-call-";

/** Records the result of a turn for approved calls whose process died, so that the conversation has it all the same. */
async function recoverApprovedTurn(life: Life, turn: string | null): Promise<void> {
  const held = turn?.split(callMark)[1];
  if (turn === null || held === undefined) return;
  const { host, agent } = life;
  const record = await findTurn(host.store, turn);
  const call = await host.store.calls.get(held);
  const { user } = call.scope;
  if (!record || record.state === "erased" || call.status === "approved" || user === undefined) return;
  const { exchanges = [] } = (await host.store.conversations.read(agent, user)) ?? {};
  if (exchanges.some(({ inbox_message_id: id }) => id === exchangeId(call))) return;
  await recordExchange(life, call.scope, { id: turn, calls: [call], state: record.state, reply: record.reply });
}

type Approved = {
  readonly id: string;
  readonly calls: readonly HeldCall[];
  readonly state: string;
  readonly reply: string | null;
};

/** Records an exchange for the counterpart's next turn to read. Nothing is sent: nobody had asked. */
async function recordExchange({ host, agent }: Life, { user }: Scope, approved: Approved): Promise<void> {
  if (user === undefined) return;
  const { id: turn, calls, state, reply } = approved;
  const words = calls.map(({ tool, input }) => `${tool} ${quoted(preview(JSON.stringify(input), 200))}`).join(", ");
  await host.store.conversations.record(agent, counterpartOf(user), {
    message: exchangeId(calls[0] as HeldCall),
    body: `(no message: a person approved ${words})`,
    reply: reply !== null && reply.trim() !== "" ? reply : `(no answer: the turn was ${state})`,
    turn,
  });
}

function exchangeId({ id }: HeldCall): string {
  return `call:${id}`;
}

/** Limits of a turn that nobody waits for. */
const limits = { steps: 10, turnSeconds: 90, toolCalls: 12 } as const;

type LeasedTurn = Pick<TurnInput, "input" | "foreign"> & {
  /** The one sender of its messages; without one it is the agent's own. */
  readonly user?: string;
  readonly id: string;
  /** Returns true while the turn's messages are still there, and this process is in charge. */
  readonly isStillWanted?: () => Promise<boolean>;
};

/** The end of a turn. `lost`: another process is in charge by now, and this one must do nothing more. */
type LeasedTurnEnd = {
  readonly turn: string;
  readonly lost: boolean;
  readonly state: "answered" | "failed";
  readonly reply: string | null;
  readonly problem?: TurnProblem;
};

/**
 * Takes a turn while this process is in charge: it is stopped as soon as another is. An error of the store is thrown on: the next
 * round learns from the record how far the turn came.
 */
async function performTurn(life: Life, turn: LeasedTurn, changes: StateChanges): Promise<LeasedTurnEnd> {
  const { host, agent, runner, leaseMs, sleep, late } = life;
  const { automata } = host.store;
  const { isStillWanted: isStillThere, ...asked } = turn;
  const lost = new AbortController();
  const keep = repeatEvery(
    leaseMs / 3,
    async () => {
      if (!(await automata.renew(agent, runner, leaseMs))) lost.abort();
    },
    sleep,
  );
  const isStillWanted = async () => {
    if (isStillThere && (await isStillThere())) return !lost.signal.aborted;
    if ((await automata.find(agent))?.runner !== runner) lost.abort();
    return isStillThere === undefined && !lost.signal.aborted;
  };
  try {
    const { state, reply, problem } = await host.runTurn(
      {
        ...asked,
        agent,
        user: asked.user ?? null,
        ...(asked.user === undefined ? {} : { counterpart: true }),
        channel,
        session: "none",
        limits,
        isStillWanted,
      },
      {
        signal: AbortSignal.any([late, lost.signal]),
        on: (event) => {
          if (event.kind === "phase") changes.note(phaseEvents[event.phase], turn.id);
        },
      },
    );
    return { turn: turn.id, lost: lost.signal.aborted, state, reply, ...(problem ? { problem } : {}) };
  } catch (error) {
    if (lost.signal.aborted) return { turn: turn.id, lost: true, state: "failed", reply: null };
    if (!(error instanceof Problem) || isTransient(error)) throw error;
    return { turn: turn.id, lost: false, state: "failed", reply: null, problem: error };
  } finally {
    keep();
  }
}

/** Returns the facts of a turn for the operator: no one's text. */
function turnFacts({ turn, state, problem }: LeasedTurnEnd): Readonly<Record<string, unknown>> {
  return { turn, state, ...(problem ? { code: problem.code } : {}) };
}

const channel = "automaton";

/** The life of one agent in this process: everything its parts share. */
export type Life = {
  readonly host: Host;
  readonly agent: string;
  /** Name of this process, which is in charge: see `runnerName`. */
  readonly runner: string;
  readonly leaseMs: number;
  /** Milliseconds between turns of its own. */
  readonly everyMs: number;
  /** Maximum number of counterparts whose messages one turn may have. */
  readonly counterparts: number;
  readonly clock: () => Date;
  readonly sleep: Sleep;
  readonly random: () => number;
  readonly newId: NewId;
  /** Signal that the grace period is over: the running turn is stopped. */
  readonly late: AbortSignal;
  /** Reports to the operator; never anyone's text. */
  readonly log: (kind: string, about?: Readonly<Record<string, unknown>>) => void;
};
