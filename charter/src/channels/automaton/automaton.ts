import { isRunnerGone, runnerName } from "../../agent/agent.ts";
import { sleep as usualSleep } from "../../agent/limits.ts";
import type { Host } from "../../host/host.ts";
import { badArgument, checkNeeded, isFunction, isObject, isText } from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Automaton } from "../../store/automata/automata.ts";
import { createIds } from "../../store/deps.ts";
import { createLoop, createPresence, type Sleep, type Tell } from "../loop.ts";
import { createRound, type Life } from "./round.ts";

/** Options of `createAutomaton`: the host, the agent, and how often it takes a turn of its own. */
export type AutomatonOptions = {
  readonly host: Host;
  /** Name of the agent that lives by itself. */
  readonly agent: string;
  readonly clock: () => Date;
  readonly sleep?: Sleep;
  readonly random?: () => number;
  /** Receives news for the operator; never anyone's text. */
  readonly log?: Tell;
  /** Milliseconds between turns of its own; five minutes by default. */
  readonly everyMs?: number;
  /** Maximum number of senders whose messages one turn may have, from 1 to 5; 1 by default. */
  readonly counterparts?: number;
  /** Milliseconds without a sign after which a process counts as dead, and another takes charge; one minute by default. */
  readonly leaseMs?: number;
  /** Name of this process (“host:pid”). */
  readonly runner?: string;
};

/**
 * An agent that lives by itself: it answers the messages in its inbox, runs the calls a person approved, and takes turns of its
 * own. Several processes may do this for one agent; one of them is in charge at a time.
 */
export type AutomatonLoop = {
  readonly start: () => Promise<void>;
  /** Takes no more turns and waits for the running one, which is stopped after `graceMs`. */
  readonly stop: (graceMs?: number) => Promise<void>;
  /** Checks once, takes the turns that are due, and returns how many. For tests, and for processes started by something else. */
  readonly tick: () => Promise<number>;
  /** Checks now, if it was started. */
  readonly wake: () => void;
};

/** Milliseconds between checks for work without an event. */
const idleMs = 2000;

/** Events after which there may be work. */
const waking = new Set([
  "agent-thawed",
  "automaton-earned",
  "automaton-granted",
  "automaton-woken",
  "call-approved",
  "message-posted",
  "message-retried",
]);

/** Lets an agent of a host live by itself. Call `start`, or `tick` yourself. */
export function createAutomaton(options: AutomatonOptions): AutomatonLoop {
  checkNeeded<AutomatonOptions>("createAutomaton", options, {
    host: [isObject, "Give what createHost gives."],
    agent: [isText, "Give the name of the agent that lives."],
    clock: [isFunction, "Give a function: () => new Date()."],
  });
  const { host, agent, clock, counterparts = 1, everyMs = 5 * 60_000, leaseMs = 60_000 } = options;
  const { sleep = usualSleep, random = Math.random, runner = runnerName() } = options;
  checkCounterparts(counterparts);
  const { automata, events } = host.store;
  const late = new AbortController();
  const log = (kind: string, about: Readonly<Record<string, unknown>> = {}) => {
    try {
      options.log?.({ about: "automaton", kind, agent, ...about });
    } catch {}
  };
  const life: Life = {
    ...{ host, agent, runner, leaseMs, everyMs, counterparts, clock, sleep, random, log, late: late.signal },
    newId: createIds(clock, (bytes) => process.getBuiltinModule("node:crypto").randomFillSync(bytes)),
  };
  const round = createRound(life);

  let renewedAt = Number.NEGATIVE_INFINITY;
  /** Takes charge of the agent; a process in charge already only checks whether it still is. */
  const takeCharge = async (): Promise<Automaton | undefined> => {
    const now = clock().getTime();
    const row = Math.abs(now - renewedAt) < leaseMs / 3 ? await automata.find(agent) : undefined;
    if (row?.runner === runner) return row;
    const claimed = await automata.claim(agent, { runner, leaseMs, isGone: isRunnerGone });
    renewedAt = claimed ? now : Number.NEGATIVE_INFINITY;
    return claimed;
  };
  const presence = createPresence(host.store, agent, () => log("agent-removed"));
  const nothing = { turns: 0, again: false };
  const runRound = async (signal: AbortSignal) => {
    let result = nothing;
    await presence.whileThere(async () => {
      const row = await takeCharge();
      result = row ? await round(row, signal) : nothing;
      return 0;
    })(signal);
    return result;
  };

  const onError = (error: unknown) => log("trouble", { code: error instanceof Problem ? error.code : "internal" });
  const loop = createLoop({
    round: async (signal) => ((await runRound(signal)).again ? 0 : idleMs),
    ...{ sleep, random, onError },
  });
  let unwatch: (() => Promise<void>) | undefined;
  return {
    wake: loop.wake,
    tick: async () => (await runRound(late.signal)).turns,
    start: async () => {
      unwatch ??= await events.watch(({ scope, kind }) => {
        if (scope.agent === agent && kind === "agent-removed") presence.leave();
        if (scope.agent === agent && waking.has(kind)) loop.wake();
      });
      loop.start();
    },
    stop: async (graceMs = 30_000) => {
      const finished = new AbortController();
      if (graceMs <= 0) late.abort();
      else void sleep(graceMs, finished.signal).then(() => late.abort());
      await loop.stop();
      finished.abort();
      await unwatch?.();
      unwatch = undefined;
      // Leaves the lease to run out where the store is away.
      await automata.release(agent, runner).catch(() => {});
    },
  };
}

function checkCounterparts(counterparts: number): void {
  if (Number.isInteger(counterparts) && counterparts >= 1 && counterparts <= 5) return;
  throw badArgument(
    `The \`counterparts\` that createAutomaton was given are ${String(counterparts)}.`,
    "Give how many may share a turn: 1 to 5.",
  );
}
