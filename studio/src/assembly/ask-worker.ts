import { ApiProblem, getJson } from "../api/request.ts";
import type { Answers, Asked, Question, Told } from "./message.ts";

type Waiting = { readonly resolve: (answer: never) => void; readonly reject: (problem: Error) => void };

const waiting = new Map<number, Waiting>();
let worker: Worker | undefined;
let newest = 0;

/** Asks the page's one worker; it is started when something is first asked. */
export function askWorker<Kind extends Question["kind"]>(
  question: Extract<Question, { kind: Kind }>,
): Promise<Answers[Kind]> {
  worker ??= start();
  const id = ++newest;
  const asked: Asked = { id, question };
  worker.postMessage(asked);
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

function start(): Worker {
  const started = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  started.addEventListener("message", ({ data }: MessageEvent<Told>) => {
    const one = waiting.get(data.id);
    waiting.delete(data.id);
    if ("answer" in data) one?.resolve(data.answer as never);
    else one?.reject(new ApiProblem(data.status, data.error));
    // A worker cannot send anyone to the sign-in page: whoever asks here can.
    if ("status" in data && data.status === 401) getJson("/me").catch(() => {});
  });
  started.addEventListener("error", () => {
    started.terminate();
    worker = undefined;
    const error = {
      code: "not-assembled",
      message: "The prompt cannot be assembled here.",
      hint: "Reload the page.",
    };
    for (const { reject } of waiting.values()) reject(new ApiProblem(500, error));
    waiting.clear();
  });
  return started;
}
