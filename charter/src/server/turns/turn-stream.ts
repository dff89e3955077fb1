import type { Context } from "hono";
import type { AgentEvent } from "../../agent/agent-event.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Asked } from "../http/api.ts";
import { type Told, toldTo } from "../http/error.ts";
import { statusOf } from "../http/status.ts";
import { failureOf, type Log } from "../observe/log.ts";
import type { TakenTurn, Taking } from "./taken-turn.ts";
import { createEventStream } from "./turn-sse.ts";
import { type UiChunk, uiHeaders } from "./ui-chunk.ts";
import { createUiStream } from "./ui-stream.ts";

export type Streaming = {
  readonly take: (watching: Pick<Taking, "on" | "anew">) => TakenTurn;
  /** The session was not asked for by name: where it cannot go on, a new one does, and the reader is told. */
  readonly renews: boolean;
  /** Waits so long for the turn to begin before it answers: what fails by then has a status of its own. */
  readonly patienceMs?: number;
  /** What fails later is told in the stream, and here. */
  readonly log?: Log | undefined;
};

/** A turn as a stream of what happens in it. The turn does not wait for whoever reads, nor end when they go. */
export async function streamed(context: Context<Asked>, streaming: Streaming): Promise<Response> {
  const { take, renews, patienceMs = 10_000, log } = streaming;
  const stream = createEventStream();
  const begun = Promise.withResolvers<void>();
  let anew: Problem | undefined;
  let opened = false;
  const ui = createUiStream({
    send: stream.send,
    everything: context.get("caller").kind === "operator",
    drafts: context.req.query("drafts") === "hold" ? "hold" : "stream",
    because: (outcome) => {
      const because = taken.because(outcome);
      tell(because);
      return untaken(because);
    },
  });
  const tell = ({ code, stopped }: Because, failed = {}) => {
    const status = statusOf(code);
    if (!stopped) log?.({ request: context.get("requestId"), turn: taken.id() ?? null, status, code, ...failed });
  };
  const on = (event: AgentEvent) => {
    ui.on(event);
    if (event.kind !== "turn-start") return;
    if (anew) stream.send({ type: "data-notice", data: { code: anew.code, message: begunAnew(anew) } });
    begun.resolve();
  };
  const renewed = (because: Problem) => {
    anew = because;
  };
  const taken = take({ on, ...(renews ? { anew: renewed } : {}) });
  const { ended } = context.get("access");
  const close = () => {
    begun.reject(ended.reason);
    stream.cut(...closed(toldTo(context.get("caller"), ended.reason), taken.id()));
  };
  if (ended.aborted) close();
  else ended.addEventListener("abort", close, { once: true });
  context.get("hold")(taken.outcome);
  taken.outcome
    .catch((thrown: unknown) => {
      begun.reject(thrown);
      const because = taken.because({ thrown });
      if (opened && !(thrown instanceof Problem)) tell(because, { failure: failureOf(thrown) });
      ui.fail(untaken(because));
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

/** The last that is told to a reader who is shut out: to programs by its code, to people in words. */
function closed({ code, message, hint }: Told, turn: string | undefined): readonly UiChunk[] {
  const data = { code, message, hint, turn: turn ?? null };
  const errorText = `${message} ${hint}`;
  return [
    { type: "data-closed", data, transient: true },
    { type: "error", errorText },
  ];
}

type Because = ReturnType<TakenTurn["because"]>;

function untaken({ message, hint, stopped }: Because) {
  return { message: stopped ? message : `${message} ${hint}`, stopped };
}

function begunAnew({ message }: Problem): string {
  return `${message} This chat goes on in a new session, without what was said before.`;
}
