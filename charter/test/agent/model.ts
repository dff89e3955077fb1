import type {
  Answer,
  AskOptions,
  Fault,
  Message,
  Model,
  ModelResult,
  Request,
  Usage,
} from "../../src/delivery/model.ts";
import type { Receiver } from "../../src/delivery/receiver.ts";

/** What the model does when it is asked: an answer in short, a fault, or anything a test thinks up. */
export type Line = string | Partial<Answer> | { readonly fault: Fault } | Doing;
export type Doing = (request: Request, asking: AskOptions) => Line | ModelResult | Promise<Line | ModelResult>;

/** A model that follows a script: line after line, and the last one for ever. It keeps every request. */
export type Scripted = Model & { readonly requests: Request[]; readonly say: (...lines: Line[]) => void };

export const usage: Usage = { input: 1000, read: 600, written: 100, output: 20 };

export const receiver: Receiver = {
  name: "test/one",
  slots: "layered",
  voice: "system",
  cache: { kind: "breakpoint", min: 0, maxBreakpoints: 4, implicit: false, lookback: 20, ttlSeconds: 300 },
  window: 200_000,
  price: { input: 3, read: 0.3, write: 3.75, output: 15 },
  tokenizer: { name: "estimate", exact: false },
};

export function scripted(lines: readonly Line[] = ["Fine."], about: Partial<Receiver> = {}): Scripted {
  const script = [...lines];
  const requests: Request[] = [];
  return {
    receiver: { ...receiver, ...about },
    requests,
    say: (...more) => {
      script.splice(0, script.length, ...more);
    },
    ask: (request, asking) => {
      requests.push(structuredClone(request));
      const line = script.length > 1 ? script.shift() : script[0];
      return played(line ?? "Fine.", request, asking);
    },
  };
}

async function played(line: Line | ModelResult, request: Request, asking: AskOptions): Promise<ModelResult> {
  if (typeof line === "function") return played(await line(request, asking), request, asking);
  if (typeof line === "string") return played({ text: line }, request, asking);
  if ("fault" in line && line.fault) return { fault: line.fault };
  if ("answer" in line && line.answer) return { answer: line.answer };
  const { text = "", calls = [], ...more } = line as Partial<Answer>;
  if (text !== "") asking.onText?.(text);
  return { answer: { text, calls, finish: calls.length > 0 ? "tool-calls" : "stop", usage, ...more } };
}

let made = 0;

export type Wanted = readonly [name: string, input?: object | string, id?: string];

/** An answer that calls tools; each call gets an id of its own. */
export function calls(...wanted: readonly Wanted[]): Line {
  return {
    calls: wanted.map(([name, input = {}, id = `call-${++made}`]) => ({
      id,
      name,
      input: typeof input === "string" ? input : JSON.stringify(input),
    })),
  };
}

export const busy = (more: Partial<Fault> = {}): Line => ({
  fault: { code: "model-busy", message: "Too many requests.", retry: true, ...more },
});

/** Says something, then nothing more until it is called off. */
export function hangs(began: () => void = () => {}, words = ""): Line {
  return (_request, { signal, onText }) =>
    new Promise((resolve) => {
      if (words !== "") onText?.(words);
      const off = () => resolve({ fault: { code: "model-aborted", message: "It was called off.", retry: false } });
      if (signal.aborted) off();
      else signal.addEventListener("abort", off, { once: true });
      began();
    });
}

/** All of a request in one text: what must not be there is looked for in this. */
export function bytesOf(request: Request): string {
  return JSON.stringify(request);
}

export function systemOf(request: Request): string {
  return request.system.map(({ text }) => text).join("");
}

/** The messages in short: who said what. */
export function spoken(request: Request): string[] {
  return request.messages.map((message: Message) => {
    if (message.role === "tool") return `tool: ${message.results.map(({ output }) => output).join(" | ")}`;
    if (message.role !== "assistant") return `${message.role}: ${message.text}`;
    const called = message.calls.map(({ name, input }) => `${name} ${input}`);
    return `assistant: ${[message.text, ...called].filter((one) => one !== "").join(" | ")}`;
  });
}
