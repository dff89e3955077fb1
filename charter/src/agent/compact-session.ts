import type { Scope } from "../amend/amendment.ts";
import { historyTokens } from "../delivery/cost.ts";
import { type FieldChecks, isText, optional } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import { scopeNamed } from "../store/scope.ts";
import { beginTurn, giveUp } from "./turn/begin-turn.ts";
import { unrecordedSpendOf } from "./turn/bill.ts";
import { compact } from "./turn/compaction.ts";
import { checkSession, type HeldSession, isJob, messagesOf } from "./turn/live-session.ts";
import { withFailover } from "./turn/live-turn.ts";
import { turnPrompt } from "./turn/turn-prompt.ts";
import { type AgentDeps, type TurnState, taintOf } from "./turn/turn-state.ts";
import { aUser, checkAsked, type RunTurnOptions, type Watcher } from "./turn-interface.ts";

/** The session to summarise: the newest on the channel, unless one is named. */
export type CompactInput = {
  readonly user: string | null;
  readonly channel?: string;
  readonly session?: string;
  /** Instructions on what the summary should keep above all. */
  readonly words?: string;
};

/** The tokens of a session's history before and after. `turn`: the turn that records the summary. */
export type CompactResult = {
  readonly turn: string;
  readonly session: string;
  readonly before: number;
  readonly after: number;
};

const compactChecks: FieldChecks<CompactInput> = {
  user: aUser,
  channel: optional([isText, "Give the channel's name."]),
  session: optional([isText, "Give a session's id."]),
  words: optional([isText, "Give what the summary should keep above all, as text."]),
};

/** Returns the text that is recorded as the turn's input. It is no part of the conversation. */
function compactInputOf({ words }: Pick<CompactInput, "words">): string {
  return words === undefined ? "/compact" : `/compact ${words}`;
}

/**
 * Summarises a session's history now, instead of when it is long. The request is recorded like any other, as a step of a turn in
 * which nobody said anything, and which never enters the history. The newest turns stay, a quarter of it.
 */
export async function compactSession(
  deps: AgentDeps,
  asked: CompactInput,
  { signal, on }: Pick<RunTurnOptions, "signal" | "on"> = {},
): Promise<CompactResult> {
  checkAsked("compact", asked, compactChecks);
  const { user, channel } = asked;
  const scope = scopeNamed(deps.name, user);
  const [{ receiver }] = deps.models;
  if (receiver.keepsHistory)
    throw new Problem(
      "compaction-elsewhere",
      `“${receiver.name}” keeps the conversation itself, and cares for its length.`,
      "Start a new session to begin without it.",
    );
  const session = await sessionToCompact(deps, scope, asked);
  const held = await deps.sessions.hold(scope, { session, channel });
  try {
    return await compactHeld(deps, held, { ...asked, session, scope, signal, on });
  } finally {
    held.release();
  }
}

type CompactOptions = Pick<CompactInput, "channel" | "words"> & {
  readonly session: string;
  readonly scope: Scope;
  readonly signal: AbortSignal | undefined;
  readonly on: Watcher | undefined;
};

async function compactHeld(deps: AgentDeps, held: HeldSession, asked: CompactOptions): Promise<CompactResult> {
  const { session: sessionId, scope, channel, words, signal, on } = asked;
  const sizes = { before: 0, after: 0 };
  const watch: Watcher = (event) => {
    if (event.kind === "compacted") [sizes.before, sizes.after] = [event.before, event.after];
    on?.(event);
  };
  const asInput = { input: compactInputOf(asked), ...(channel === undefined ? {} : { channel }) };
  const { running, deadline } = await beginTurn(deps, held, asInput, { scope, signal, on: watch });
  const { session, id } = running.who;
  try {
    if (session.unfinished !== null) throw sessionBusy(sessionId);
    const previous = session.baseline?.summary;
    const turns = session.stretches.filter((one) => one.turn !== null);
    const keep = historyTokens(messagesOf(turns), running.who.tokenizer) / 4;
    await withFailover(deps, running, async () =>
      compact(deps, running, await turnPrompt(deps, running), { keep, words }),
    );
    const { baseline, storedBaseline } = session;
    if (!baseline?.summary || baseline.summary === previous) throw notCompacted(running);
    // The remaining history is kept as the session's own model has it, whichever model wrote the summary.
    const isWhole = session.stretches.every((one) => one.turn === null);
    const summary = isWhole ? { ...baseline.summary, until: id } : baseline.summary;
    // Without `since` the next turn builds the prefix anew: what was said after it follows other messages now.
    const { since: _, ...kept } = storedBaseline ?? baseline;
    const covering = { ...kept, summary };
    const closed = await deps.store.turns.close(id, {
      ...{ scope, state: "answered", reply: replyOf(sizes), ...taintOf(running.progress) },
      session: { touch: true, baseline: covering },
      ...unrecordedSpendOf(deps, running.bill),
    });
    if (closed.state !== "answered")
      throw new Problem("turn-over", `The turn was ${closed.state} while it ran.`, "Ask again.");
    return { turn: id, session: sessionId, ...sizes };
  } catch (error) {
    await giveUp(deps, running, error);
    throw error;
  } finally {
    // The next turn must read the session from the store, whether or not this succeeded.
    session.newestTurn = null;
    deadline.stop();
  }
}

/** Finds the named session, or the newest. None is opened for this. */
async function sessionToCompact(deps: AgentDeps, scope: Scope, asked: CompactInput): Promise<string> {
  const { store, across } = deps;
  const { session: wanted, channel } = asked;
  const latest = async () => (isJob(deps, scope) ? undefined : store.sessions.latest(scope, across ? null : channel));
  const session = wanted === undefined ? await latest() : await store.sessions.find(wanted);
  if (session) checkSession(session, scope, isJob(deps, scope));
  if (session && (await store.sessions.newestTurn(session.id))) return session.id;
  throw new Problem("nothing-said", "Nothing was said yet in this session.", "There is nothing to summarise.");
}

function sessionBusy(session: string): Problem {
  return new Problem(
    "session-busy",
    `A turn of the session “${session}” is still running elsewhere.`,
    "Sum it up when that turn is over.",
  );
}

function notCompacted({ progress }: TurnState): Problem {
  const failed = progress.notices.find(({ code }) => code === "compaction-failed");
  if (failed) return new Problem("compaction-failed", failed.message, "Try again later, or start a new session.");
  return new Problem("nothing-said", "Nothing is in this session's history yet.", "There is nothing to summarise.");
}

function replyOf({ before, after }: { readonly before: number; readonly after: number }): string {
  return `The history was summed up: ${before} tokens became ${after}.`;
}
