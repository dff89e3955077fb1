import type { Host } from "../../host/host.ts";
import { backoffMs } from "../../prompt/backoff.ts";
import { Problem, reasonOf } from "../../prompt/problem.ts";
import { localText } from "../../schedules/local-time.ts";
import { zoneFor } from "../../schedules/zone.ts";
import type { ClaimedRun, RunEnd } from "../../store/schedules/claims.ts";
import type { Turn } from "../../store/turns/turns.ts";
import { findTurn } from "../find-turn.ts";
import { sentInto } from "../sent-session.ts";
import { dispatchesTo } from "../telegram/deliver-to.ts";
import { nothingReported } from "./nothing-reported.ts";

export type PerformOptions = {
  readonly host: Host;
  readonly clock: () => Date;
  readonly random: () => number;
  /** The zone of users who have none of their own. */
  readonly zone?: string | undefined;
  /** A worker that is silent for so long is taken for dead. */
  readonly leaseMs: number;
  /** Stops the turn: the run is someone else's, or the worker is told to stop. */
  readonly signal: AbortSignal;
  readonly isStopping: () => boolean;
};

/** Tries a run that was taken: what it came to, to be recorded. */
export async function performRun(run: ClaimedRun, performing: PerformOptions): Promise<RunEnd> {
  const { host, signal, leaseMs } = performing;
  const { scope, from, previousTurn, exhausted } = run;
  // Whoever tried it before may have got an answer and not lived to record it: then it is not asked again.
  const before = previousTurn === null ? undefined : await findTurn(host.store, previousTurn);
  // Should they still live after all, their answer is not kept.
  const over =
    before?.state === "running"
      ? await host.store.turns.close(before.id, { state: "interrupted", scope: before.scope })
      : before;
  const known = over && (await runEndOf(over, run, performing));
  if (known) return known;
  if (exhausted) return { state: "failed", code: "worker-lost", reason: lost };
  const { agent, user } = scope;
  const id = run.turn as string;
  const whose = { agent, ...(user === undefined ? {} : { user }) };
  // Its words are in our hands: were they erased meanwhile, or is it someone else's by now, they are not written again.
  const isStillWanted = () => host.store.runs.renew(run, leaseMs);
  const asked = { ...whose, channel: from.channel, session: "none", input: from.input, id, isStillWanted };
  const outcome = await host.runTurn(asked, { signal }).catch(failureFactsOf);
  // Also when it threw: a store that went away while it kept the answer may have kept it.
  const turn = "turn" in outcome ? { id, state: outcome.state, reply: outcome.reply } : await findTurn(host.store, id);
  const came = turn && (await runEndOf(turn, run, performing));
  return came ?? failedRun(run, outcome.problem ?? noAnswer, performing);
}

type FailureFacts = { readonly code: string; readonly message: string };

const noAnswer: FailureFacts = { code: "turn-failed", message: "The turn gave no answer." };

function failureFactsOf(error: unknown): { readonly problem: FailureFacts } {
  return { problem: { code: error instanceof Problem ? error.code : "turn-failed", message: reasonOf(error) } };
}

const lost = "The worker that ran it did not come back, and it was its last try.";

/** A minute after the first try that failed, then two, four, eight, up to an hour. */
const retry = { min: 60_000, max: 3_600_000 };

/** What does not get better by itself. */
const hopeless = new Set(["bad-input", "erased", "input-handled", "unknown-agent", "unknown-channel"]);

/**
 * What a turn came to, where that is no failure. Once it has said that there is nothing to report, whether a last
 * sentence follows or fails makes no difference.
 */
async function runEndOf(
  { id, state, reply }: Pick<Turn, "id" | "state" | "reply">,
  { scope, from }: ClaimedRun,
  { host: { store }, clock, zone }: PerformOptions,
): Promise<RunEnd | undefined> {
  const nothing = await nothingReported(store, id);
  if (nothing) return { state: "quiet", turn: id, reason: nothing.because };
  if (state !== "answered") return undefined;
  const dispatches = await dispatchesTo(store, scope, { text: reply ?? "", turn: id });
  const at = localText(clock().toISOString(), from.zone ?? (await zoneFor(store, scope, zone)));
  const announcement = { schedule: from.title, at };
  const isForUser = scope.user !== undefined && reply?.trim();
  if (dispatches.length > 0 || !isForUser) return { state: "answered", turn: id, dispatches, announcement };
  // Nobody has a chat where it could be sent: it is said on the web, where they find it.
  const said = { channel: "web", ...(await sentInto(store, scope.agent, clock())) };
  return { state: "answered", turn: id, announcement, said };
}

function failedRun(
  { tries, from }: ClaimedRun,
  { code, message }: FailureFacts,
  { clock, random, isStopping }: PerformOptions,
): RunEnd {
  const reason = message.slice(0, 500);
  if (tries >= from.maxTries || hopeless.has(code)) return { state: "failed", code, reason };
  // It did not fail: it was stopped. Whoever comes next need not wait.
  const wait = isStopping() ? 0 : backoffMs(tries - 1, random, retry);
  return { state: "waiting", reason, nextTryAt: new Date(clock().getTime() + wait).toISOString() };
}
