import { historyTokens } from "../../../delivery/message-tokens.ts";
import { checkOptions, type FieldChecks, isText, optional } from "../../../prompt/argument.ts";
import { Problem } from "../../../prompt/problem.ts";
import { maxLeaseSeconds } from "../../../store/turns/turn.ts";
import type { RunTurnOptions } from "../../turn-input.ts";
import { beginTurn } from "../begin-turn.ts";
import { startDeadline } from "../deadline.ts";
import { withDeclaredLimits } from "../declared-limits.ts";
import { turnReason } from "../end-turn.ts";
import { messagesOf, type SentSession } from "../live-session.ts";
import { unrecordedSpendOf } from "../record.ts";
import { turnPrompt } from "../turn-prompt.ts";
import type { AgentDeps, TurnState } from "../turn-state.ts";
import { compact } from "../window/compaction.ts";
import { resolveWindow, withWindow } from "../window/window.ts";
import { forSession, withFailover } from "./failover.ts";
import { checkSession } from "./find-session.ts";

/** Whose session is summed up: the newest on the channel, unless one is named. */
export type CompactInput = {
  readonly user?: string;
  readonly channel?: string;
  readonly session?: string;
  /** What the summary should keep above all. */
  readonly words?: string;
};

/** What a session's history came to: so many tokens became so many. `turn`: on record as a turn of its own. */
export type CompactResult = {
  readonly turn: string;
  readonly session: string;
  readonly before: number;
  readonly after: number;
};

const compactChecks: FieldChecks<CompactInput> = {
  user: optional([isText, "Give the user's name, as the store has it."]),
  channel: optional([isText, "Give the channel's name."]),
  session: optional([isText, "Give a session's id."]),
  words: optional([isText, "Give what the summary should keep above all, as text."]),
};

/** What stands in the record as the turn's input. It is no part of the conversation. */
function compactInputOf({ words }: CompactInput): string {
  return words === undefined ? "/compact" : `/compact ${words}`;
}

/**
 * Sums up a session's history now, instead of when it is long. The request is on record like any other, as a step of a
 * turn that nobody said anything in, and that never enters the history. The newest turns stay, a quarter of it.
 */
export async function compactSession(
  agent: AgentDeps,
  asked: CompactInput,
  { signal, on }: Pick<RunTurnOptions, "signal" | "on"> = {},
): Promise<CompactResult> {
  checkOptions("compact", asked, compactChecks);
  const { user, channel } = asked;
  const scope = { agent: agent.name, ...(user === undefined ? {} : { user }) };
  const compactInput = compactInputOf(asked);
  if (agent.model.receiver.keepsHistory)
    throw new Problem(
      "compaction-elsewhere",
      `“${agent.model.receiver.name}” keeps the conversation itself, and cares for its length.`,
      "Start a new session to begin without it.",
    );
  const session = await sessionToCompact(agent, asked);
  return agent.sessions.within(scope, { session, channel }, async (_id, enter) => {
    let deps = await withDeclaredLimits(agent, { ...scope, channel });
    const turn = await deps.store.turns.open({
      ...{ scope, input: compactInput, session, inSession: true, runner: deps.runner },
      leaseSeconds: Math.min(Math.ceil(deps.limits.turnSeconds) + 60, maxLeaseSeconds),
      ...(channel === undefined ? {} : { channel }),
    });
    const { id } = turn;
    const deadline = startDeadline(deps.limits.turnSeconds, signal);
    const choose = async (sent: SentSession) => {
      deps = await forSession(deps, sent);
      return deps.model.receiver;
    };
    const entered = await enter(turn, deps.models.length > 1 ? choose : undefined);
    const about = {
      on,
      approve: undefined,
      ask: "never" as const,
      attachments: [],
      context: undefined,
      output: undefined,
    };
    const begun = { id, scope, session: entered, signal: deadline.signal, ...about };
    let running: TurnState | undefined;
    try {
      if (begun.session.unfinished !== null) throw stillRunning(session);
      deps = withWindow(deps, (await resolveWindow(deps, deadline.signal)).window);
      const sizes = { before: 0, after: 0 };
      running = await beginTurn(
        deps,
        { input: compactInput, ...(channel === undefined ? {} : { channel }) },
        {
          ...begun,
          on: (event) => {
            if (event.kind === "compacted") [sizes.before, sizes.after] = [event.before, event.after];
            on?.(event);
          },
        },
      );
      const was = begun.session.baseline?.summary;
      const compacting = running;
      const turns = begun.session.stretches.filter((one) => one.turn !== null);
      const keep = historyTokens(messagesOf(turns), running.who.tokenizer) / 4;
      await withFailover(deps, compacting, async (now) =>
        compact(now, compacting, await turnPrompt(now, compacting), { keep, words: asked.words }),
      );
      const { baseline, storedBaseline } = begun.session;
      if (!baseline?.summary || baseline.summary === was) throw notCompacted(running);
      // The rest is as the model the session was sent to has it, whoever summed it up.
      const isWhole = begun.session.stretches.every((one) => one.turn === null);
      const summary = isWhole ? { ...baseline.summary, until: id } : baseline.summary;
      const covering = { ...(storedBaseline ?? baseline), summary };
      const closed = await deps.store.turns.close(id, {
        ...{ scope, state: "answered", reply: replyOf(sizes), tainted: running.progress.tainted },
        session: { touch: true, baseline: covering },
        ...unrecordedSpendOf(deps, running.bill),
      });
      if (closed.state !== "answered")
        throw new Problem("turn-over", `The turn was ${closed.state} while it ran.`, "Ask again.");
      return { turn: id, session, ...sizes };
    } catch (error) {
      const owed = running ? unrecordedSpendOf(deps, running.bill) : {};
      await deps.store.turns.close(id, { state: "failed", because: turnReason(error), scope, ...owed }).catch(() => {});
      throw error;
    } finally {
      // Whatever came of it, the next turn reads the session as the store has it.
      begun.session.newestTurn = null;
      deadline.stop();
    }
  });
}

/** The one that is named, or the newest; nothing is opened for it. */
async function sessionToCompact({ store, name, across }: AgentDeps, asked: CompactInput): Promise<string> {
  const { user, session: wanted, channel } = asked;
  const scope = { agent: name, ...(user === undefined ? {} : { user }) };
  const session =
    wanted === undefined
      ? await store.sessions.latest(scope, across ? null : channel)
      : await store.sessions.get(wanted);
  if (session) checkSession(session, scope);
  if (session && (await store.sessions.newestTurn(session.id))) return session.id;
  throw new Problem("nothing-said", "Nothing was said yet in this session.", "There is nothing to summarise.");
}

function stillRunning(session: string): Problem {
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
