import type { House } from "../../host/host.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import type { RunEnd, TakenRun } from "../../store/schedules/claims.ts";
import type { Turn } from "../../store/turns/turns.ts";
import { dispatchesTo } from "../telegram/deliver-to.ts";
import { backoffMs } from "./backoff.ts";
import { saidNothing } from "./said-nothing.ts";

export type Performing = {
  readonly house: House;
  readonly clock: () => Date;
  readonly random: () => number;
  /** A worker that is silent for so long is taken for dead. */
  readonly leaseMs: number;
  /** Stops the turn: the run is someone else's, or the worker is told to stop. */
  readonly signal: AbortSignal;
  readonly isStopping: () => boolean;
};

/** Tries a run that was taken: what it came to, to be recorded. */
export async function perform(run: TakenRun, performing: Performing): Promise<RunEnd> {
  const { house, signal, leaseMs } = performing;
  const { scope, from, turnBefore, spent } = run;
  // Whoever tried it before may have got an answer and not lived to record it: then it is not asked again.
  const before = turnBefore === null ? undefined : await turnNamed(house, turnBefore);
  // Should they still live after all, their answer is not kept.
  const over =
    before?.state === "running"
      ? await house.store.turns.close(before.id, { state: "interrupted", scope: before.scope })
      : before;
  const known = over && (await cameOf(over, run, house));
  if (known) return known;
  if (spent) return { state: "failed", code: "worker-lost", because: lost };
  const { agent, user } = scope;
  const id = run.turn as string;
  const whose = { agent, ...(user === undefined ? {} : { user }) };
  // Its words are in our hands: were they erased meanwhile, or is it someone else's by now, they are not written again.
  const still = () => house.store.runs.renew(run, leaseMs);
  const asked = { ...whose, channel: from.channel, session: "none", input: from.input, id, still };
  const outcome = await house.takeTurn(asked, { signal }).catch(thrown);
  // Also when it threw: a store that went away while it kept the answer may have kept it.
  const turn = "turn" in outcome ? { id, state: outcome.state, reply: outcome.reply } : await turnNamed(house, id);
  const came = turn && (await cameOf(turn, run, house));
  return came ?? failed(run, outcome.because ?? noAnswer, performing);
}

type Because = { readonly code: string; readonly message: string };

const noAnswer: Because = { code: "turn-failed", message: "The turn gave no answer." };

function thrown(error: unknown): { readonly because: Because } {
  return { because: { code: error instanceof Problem ? error.code : "turn-failed", message: reasonOf(error) } };
}

const lost = "The worker that ran it did not come back, and it was its last try.";

/** What does not get better by itself. */
const hopeless = new Set(["bad-input", "erased", "input-handled", "unknown-agent", "unknown-channel"]);

async function turnNamed({ store }: House, id: string): Promise<Turn | undefined> {
  try {
    return await store.turns.get(id);
  } catch (error) {
    if (error instanceof Problem && error.code === "unknown-turn") return undefined;
    throw error;
  }
}

/**
 * What a turn came to, where that is no failure. Once it has said that there is nothing to report, whether a last
 * sentence follows or fails makes no difference.
 */
async function cameOf(
  { id, state, reply }: Pick<Turn, "id" | "state" | "reply">,
  { scope }: TakenRun,
  { store }: House,
): Promise<RunEnd | undefined> {
  const nothing = await saidNothing(store, id);
  if (nothing) return { state: "quiet", turn: id, because: nothing.because };
  if (state !== "answered") return undefined;
  return { state: "answered", turn: id, dispatches: await dispatchesTo(store, scope, { text: reply ?? "", turn: id }) };
}

function failed(
  { tries, from }: TakenRun,
  { code, message }: Because,
  { clock, random, isStopping }: Performing,
): RunEnd {
  const because = message.slice(0, 500);
  if (tries >= from.mostTries || hopeless.has(code)) return { state: "failed", code, because };
  // It did not fail: it was stopped. Whoever comes next need not wait.
  const wait = isStopping() ? 0 : backoffMs(tries, random);
  return { state: "waiting", because, nextTryAt: new Date(clock().getTime() + wait).toISOString() };
}
