import type { Context } from "hono";
import type { AgentEvent } from "../../agent/turn-interface.ts";
import { toldPart } from "../../operations/told.ts";
import { takeTurn } from "../../operations/turns/turns.ts";
import { Problem } from "../../prompt/problem.ts";
import type { ApiEnv } from "../api.ts";
import { isForChat } from "../http/chat-path.ts";
import { type ProblemFacts, problemFactsFor } from "../http/error.ts";
import { statusOf } from "../http/status.ts";
import { failureOf, type Log } from "../observe/log.ts";
import type { StartTurnOptions, TurnHandle } from "./turn-handle.ts";
import { createTurnSse } from "./turn-sse.ts";
import { type UiChunk, uiHeaders } from "./ui-chunk.ts";
import { createUiStream } from "./ui-stream.ts";

type StreamTurnOptions = {
  readonly start: (watching: Pick<StartTurnOptions, "on" | "onNewSession">) => TurnHandle;
  /** The session was not asked for by name: where it cannot go on, a new one does, and the reader is told. */
  readonly renewsSession: boolean;
  /** Waits so long for the turn to begin before it answers: what fails by then has a status of its own. */
  readonly startTimeoutMs?: number;
  /** What fails later is told in the stream, and here. */
  readonly log?: Log | undefined;
};

/** A turn as a stream of what happens in it. The turn does not wait for whoever reads, nor end when they go. */
export async function streamTurn(context: Context<ApiEnv>, streaming: StreamTurnOptions): Promise<Response> {
  const { start: take, renewsSession: renews, startTimeoutMs: patienceMs = 10_000, log } = streaming;
  const stream = createTurnSse();
  const begun = Promise.withResolvers<void>();
  let anew: Problem | undefined;
  let opened = false;
  const ui = createUiStream({
    send: isForChat(context.req.path) ? (chunk) => stream.send(withUserMetadata(chunk)) : stream.send,
    forOperator: context.get("caller").kind === "operator",
    drafts: context.req.query("drafts") === "hold" ? "hold" : "stream",
    failureOf: (outcome) => {
      const because = taken.problemOf(outcome);
      tell(because);
      return turnFailureOf(because);
    },
  });
  const tell = ({ code, stopped }: TurnProblem, failed = {}) => {
    const status = statusOf(code);
    if (!stopped) log?.({ request: context.get("requestId"), turn: taken.id() ?? null, status, code, ...failed });
  };
  const on = (event: AgentEvent) => {
    ui.on(event);
    if (event.kind !== "turn-start") return;
    if (anew) stream.send({ type: "data-notice", data: { code: anew.code, message: newSessionText(anew) } });
    begun.resolve();
  };
  const renewed = (because: Problem) => {
    anew = because;
  };
  const taken = take({ on, ...(renews ? { onNewSession: renewed } : {}) });
  const { ended } = context.get("access");
  const close = () => {
    begun.reject(ended.reason);
    stream.cutOff(...closed(problemFactsFor(context.get("caller"), ended.reason), taken.id()));
  };
  if (ended.aborted) close();
  else ended.addEventListener("abort", close, { once: true });
  context.get("hold")(taken.outcome);
  taken.outcome
    .catch((thrown: unknown) => {
      begun.reject(thrown);
      const because = taken.problemOf({ thrown });
      if (opened && !(thrown instanceof Problem)) tell(because, { failure: failureOf(thrown) });
      ui.fail(turnFailureOf(because));
    })
    .finally(stream.end);
  const opening = setTimeout(begun.resolve, patienceMs);
  try {
    await begun.promise;
  } catch (thrown) {
    await stream.body.cancel();
    throw thrown;
  } finally {
    clearTimeout(opening);
  }
  opened = true;
  return context.body(stream.body, 200, uiHeaders);
}

/** What the turn used and cost is not told at the page for users. */
function withUserMetadata(chunk: UiChunk): UiChunk {
  if (!("messageMetadata" in chunk)) return chunk;
  return { ...chunk, messageMetadata: toldPart(takeTurn.answer, chunk.messageMetadata) } as UiChunk;
}

/** The last that is told to a reader who is shut out: to programs by its code, to people in words. */
function closed({ code, message, hint }: ProblemFacts, turn: string | undefined): readonly UiChunk[] {
  const data = { code, message, hint, turn: turn ?? null };
  const errorText = `${message} ${hint}`;
  return [
    { type: "data-closed", data, transient: true },
    { type: "error", errorText },
  ];
}

type TurnProblem = ReturnType<TurnHandle["problemOf"]>;

function turnFailureOf({ message, hint, stopped }: TurnProblem) {
  return { message: stopped ? message : `${message} ${hint}`, stopped };
}

function newSessionText({ message }: Problem): string {
  return `${message} This chat goes on in a new session, without what was said before.`;
}
