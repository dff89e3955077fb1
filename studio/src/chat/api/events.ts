import { serverSentEvents, silenceMs } from "../../kit/server-sent-events.ts";
import { refresh } from "./read.ts";
import { ApiProblem, request } from "./request.ts";

const [first, longest] = [1_000, 30_000];

/** Reads again what is shown whenever something of the user's own changes, wherever it was done. Ends with `signal`. */
export async function follow(signal: AbortSignal): Promise<void> {
  for (let wait = first; !signal.aborted; wait = Math.min(2 * wait, longest)) {
    try {
      const answer = await request("/api/events", { accept: "text/event-stream", signal });
      // What happened while nobody listened is found by reading again.
      refresh();
      wait = first;
      for await (const event of serverSentEvents(answer.body as ReadableStream<Uint8Array>, silenceMs)) {
        if (signal.aborted) return;
        if (event) soon();
      }
    } catch (error) {
      if (signal.aborted || (error instanceof ApiProblem && [401, 403, 404].includes(error.status))) return;
    }
    await pause(wait, signal);
  }
}

let waits = false;

/** Things happen together: they are read about once. */
function soon(): void {
  if (waits) return;
  waits = true;
  setTimeout(() => {
    waits = false;
    refresh();
  }, 250);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}
