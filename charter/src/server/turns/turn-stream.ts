import type { Context } from "hono";
import type { AgentEvent, RunTurnOptions, TurnInput, TurnOutcome, Watcher } from "../../agent/turn-interface.ts";
import type { Host } from "../../host/host.ts";
import { type Caller, notFound } from "../../operations/caller.ts";
import { toldPart } from "../../operations/read-input.ts";
import { takeTurn } from "../../operations/turns/turns.ts";
import { Problem } from "../../prompt/problem.ts";
import type { ApiEnv, StoppableTurns } from "../api.ts";
import { type Access, type Every, usualEvery } from "../auth/access.ts";
import { internalProblem, type ProblemFacts, problemFactsFor, statusOf } from "../http/error.ts";
import { isForChat } from "../http/this-server.ts";
import { failureOf, type Log } from "../observe/log.ts";
import { createUiStream, type UiChunk, uiHeaders } from "./ui-stream.ts";

type StreamTurnOptions = {
  readonly start: (watching: Pick<StartTurnOptions, "on" | "onNewSession">) => TurnHandle;
  /** Lets a new session replace one that cannot go on, with a notice. For sessions the caller did not name. */
  readonly renewsSession: boolean;
  /** Maximum milliseconds to wait for the turn to begin before answering: failures until then get a status of their own. */
  readonly startTimeoutMs?: number;
  /** Log of failures after that, which the stream reports too. */
  readonly log?: Log | undefined;
};

/** Streams a turn's events. The turn neither waits for its reader nor ends when the reader goes. */
export async function streamTurn(context: Context<ApiEnv>, streaming: StreamTurnOptions): Promise<Response> {
  const { start, renewsSession, startTimeoutMs = 10_000, log } = streaming;
  const stream = createTurnSse();
  const begun = Promise.withResolvers<void>();
  let sessionProblem: Problem | undefined;
  let opened = false;
  const ui = createUiStream({
    send: isForChat(context.req.path) ? (chunk) => stream.send(withUserMetadata(chunk)) : stream.send,
    forOperator: context.get("caller").kind === "operator",
    drafts: context.req.query("drafts") === "hold" ? "hold" : "stream",
    failureOf: (outcome) => {
      const problem = turn.problemOf(outcome);
      tell(problem);
      return turnFailureOf(problem);
    },
  });
  const tell = ({ code, stopped }: TurnProblem, failed = {}) => {
    const status = statusOf(code);
    if (!stopped) log?.({ request: context.get("requestId"), turn: turn.id() ?? null, status, code, ...failed });
  };
  const on = (event: AgentEvent) => {
    ui.on(event);
    if (event.kind !== "turn-start") return;
    if (sessionProblem)
      stream.send({
        type: "data-notice",
        data: { code: sessionProblem.code, message: newSessionText(sessionProblem) },
      });
    begun.resolve();
  };
  const renewed = (because: Problem) => {
    sessionProblem = because;
  };
  const turn = start({ on, ...(renewsSession ? { onNewSession: renewed } : {}) });
  const { ended } = context.get("access");
  const close = () => {
    begun.reject(ended.reason);
    stream.cutOff(...closed(problemFactsFor(context.get("caller"), ended.reason), turn.id()));
  };
  if (ended.aborted) close();
  else ended.addEventListener("abort", close, { once: true });
  context.get("hold")(turn.outcome);
  turn.outcome
    .catch((thrown: unknown) => {
      begun.reject(thrown);
      const problem = turn.problemOf({ thrown });
      if (opened && !(thrown instanceof Problem)) tell(problem, { failure: failureOf(thrown) });
      ui.fail(turnFailureOf(problem));
    })
    .finally(stream.end);
  const opening = setTimeout(begun.resolve, startTimeoutMs);
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

/** Rejects when the caller is shut out of the answer. */
export function shutOut(context: Context<ApiEnv>): Promise<never> {
  const { ended } = context.get("access");
  const { promise, reject } = Promise.withResolvers<never>();
  if (ended.aborted) reject(ended.reason);
  ended.addEventListener("abort", () => reject(ended.reason), { once: true });
  promise.catch(() => {});
  return promise;
}

/** Removes from the metadata, at the page for users, what the turn used and cost. */
function withUserMetadata(chunk: UiChunk): UiChunk {
  if (!("messageMetadata" in chunk)) return chunk;
  return { ...chunk, messageMetadata: toldPart(takeTurn.answer, chunk.messageMetadata) } as UiChunk;
}

/** Last chunks for a reader who is shut out: a code for programs, and a text for people. */
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

/** Event stream to one reader, who may be slow, and may go. */
type TurnSse<Chunk> = {
  readonly body: ReadableStream<Uint8Array>;
  readonly send: (chunk: Chunk) => void;
  readonly end: () => void;
  /** Discards what waits for the reader, and ends the stream with these chunks. */
  readonly cutOff: (...last: readonly Chunk[]) => void;
};

export type TurnSseOptions = {
  /** Maximum number of characters that wait for the reader. */
  readonly maxWaiting?: number;
  /** Milliseconds of silence after which a comment is sent, so that no proxy takes the stream for dead. */
  readonly keepAliveMs?: number;
  /** Maximum milliseconds a reader may take nothing while something waits; then the stream ends. */
  readonly timeoutMs?: number;
  readonly every?: Every;
  /** Last chunk for a reader who falls too far behind. */
  readonly behind?: object;
};

const behindChunk = {
  type: "error",
  errorText:
    "You read more slowly than this turn goes on, so its stream ends here. The turn does not: look it up by its id.",
} as const;

type Delta = { readonly type: "text-delta"; readonly id: string; delta: string };

function isDelta(chunk: object): chunk is Delta {
  return "type" in chunk && chunk.type === "text-delta";
}

function lineOf(chunk: object): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

/**
 * Creates the stream of a turn. Sending never blocks, and at most `maxWaiting` characters wait: deltas of the same text are
 * joined, and a reader who falls too far behind gets an error as the last chunk. Sending goes on without a reader.
 */
export function createTurnSse<Chunk extends object = UiChunk>(about: TurnSseOptions = {}): TurnSse<Chunk> {
  const { maxWaiting = 2 * 1024 * 1024, keepAliveMs = 15_000, timeoutMs = 60_000, every = usualEvery } = about;
  const { behind = behindChunk } = about;
  const encoder = new TextEncoder();
  let waiting: (string | Delta)[] = [];
  let size = 0;
  let [ended, gone, silent, unreadMs] = [false, false, false, 0];
  let wake: (() => void) | undefined;
  let reader: ReadableStreamDefaultController<Uint8Array> | undefined;

  const stop = every(keepAliveMs, () => {
    if (wake && silent) reader?.enqueue(encoder.encode(": still here\n\n"));
    silent = true;
    unreadMs = waiting.length > 0 || ended ? unreadMs + keepAliveMs : 0;
    if (unreadMs < timeoutMs) return;
    leave();
    reader?.error(new Error("Nobody reads this stream."));
  });
  const leave = () => {
    [gone, waiting, size] = [true, [], 0];
    stop();
    wake?.();
  };
  const takeLines = (): string => {
    const text = waiting.map((one) => (typeof one === "string" ? one : lineOf(one))).join("");
    [waiting, size, silent, unreadMs] = [[], 0, false, 0];
    return ended ? `${text}data: [DONE]\n\n` : text;
  };

  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        reader = controller;
      },
      pull: async (controller) => {
        if (waiting.length === 0 && !ended && !gone)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        wake = undefined;
        if (gone) return;
        controller.enqueue(encoder.encode(takeLines()));
        if (!ended) return;
        leave();
        controller.close();
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  );
  const end = () => {
    if (gone || ended) return;
    ended = true;
    wake?.();
  };
  const cut = (...last: readonly object[]) => {
    if (!gone) waiting = last.map(lineOf);
    end();
  };
  return {
    body,
    end,
    cutOff: cut,
    send: (chunk) => {
      if (gone || ended) return;
      const last = waiting.at(-1);
      if (isDelta(chunk)) {
        size += chunk.delta.length;
        if (typeof last === "object" && last.id === chunk.id) last.delta += chunk.delta;
        else waiting.push({ ...chunk });
      } else {
        const line = lineOf(chunk);
        size += line.length;
        waiting.push(line);
      }
      if (size > maxWaiting) cut(behind);
      wake?.();
    },
  };
}

export type TurnHandle = {
  /** Id of the turn, once it has begun. */
  readonly id: () => string | undefined;
  readonly outcome: Promise<TurnOutcome>;
  /** Problem why it has no reply, in words for the caller. */
  readonly problemOf: (
    failed: TurnOutcome | { readonly thrown: unknown },
  ) => ProblemFacts & { readonly stopped: boolean };
};

type StartTurnOptions = {
  readonly host: Host;
  readonly stoppable: StoppableTurns;
  readonly caller: Caller;
  readonly access: Access;
  readonly on?: Watcher;
  readonly onClientCalls?: RunTurnOptions["onClientCalls"];
  /** Called when a new session replaces one that has ended. */
  readonly onNewSession?: (because: Problem) => void;
};

/**
 * Takes a turn for a caller over HTTP. It does not end with the connection, nor when the caller is shut out: its reply is stored.
 * Only a request with its id stops it.
 */
export function startTurn(asked: TurnInput & { readonly agent: string }, taking: StartTurnOptions): TurnHandle {
  const { host, stoppable, caller, access, onNewSession, onClientCalls } = taking;
  const controller = new AbortController();
  let id: string | undefined;
  const on = (event: AgentEvent) => {
    if (event.kind === "turn-start") {
      id = event.turn;
      stoppable.add(id, controller);
      access.follow(id);
    }
    taking.on?.(event);
  };
  // A turn that waited for another is not begun if its caller was shut out meanwhile.
  const isStillWanted = async () => !access.ended.aborted;
  const take = async (session: string | undefined): Promise<TurnOutcome> => {
    const { session: _, ...rest } = asked;
    const watching = { signal: controller.signal, on, ...(onClientCalls ? { onClientCalls } : {}) };
    return host.runTurn({ ...rest, isStillWanted, ...(session === undefined ? {} : { session }) }, watching);
  };
  const outcome = take(asked.session)
    .catch((error: unknown) => {
      if (id !== undefined || !(error instanceof Problem)) throw error;
      if (error.code === "unknown-session") throw notFound(`session “${asked.session}”`);
      if (!onNewSession || error.code !== "session-ended") throw error;
      onNewSession(error);
      return take("new");
    })
    .finally(() => {
      if (id !== undefined) stoppable.remove(id);
    });
  return {
    id: () => id,
    outcome,
    problemOf: (failed) => {
      const stopped = controller.signal.aborted;
      if (stopped) return { ...problemFactsOf(caller, stoppedProblem()), stopped };
      if ("thrown" in failed) return { ...problemFactsOf(caller, failed.thrown), stopped };
      return { ...problemFactsOf(caller, failed.problem), stopped };
    },
  };
}

const stoppedProblem = () =>
  new Problem(
    "turn-stopped",
    "The turn was stopped.",
    "Ask again when you are ready. What you wrote stays in the conversation.",
  );

/** Problem of a failed turn; an unexpected error becomes a general one, and its details stay in the server's log. */
function problemFactsOf(caller: Caller, because: unknown): ProblemFacts {
  const known = because instanceof Problem || (isProblemFacts(because) && because.code !== "turn-failed");
  return known ? problemFactsFor(caller, because as ProblemFacts) : internalProblem;
}

function isProblemFacts(because: unknown): because is ProblemFacts {
  return typeof because === "object" && because !== null && "code" in because;
}
