import type { TurnOutcome } from "../agent/turn-interface.ts";
import type { Answer, AskOptions, Fault, Model, ModelRequest, ModelResult, Usage } from "../delivery/model.ts";
import type { Receiver } from "../delivery/receiver.ts";
import { checkNames, isText, kindOf } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import type { Store } from "../store/store.ts";
import { failure, givenAs } from "./expect-prompt.ts";

/** A model that follows a script, and keeps every request it was sent. */
export type ScriptedModel = Model & {
  /** Every request so far, oldest first, each as it was when it was sent. A test may empty the list. */
  readonly requests: ModelRequest[];
  /** Replaces the rest of the script by these lines. */
  readonly say: (...lines: readonly ScriptLine[]) => void;
};

/** Options of a scripted model: how it looks to an agent, and what it does when its script is over. */
export type ScriptedModelOptions = {
  /** Fields of its receiver that differ from the default: its name, its window, its slots, its price. */
  readonly receiver?: Partial<Receiver>;
  /** The usage of each answer, unless its line has one. */
  readonly usage?: Usage;
  /** Repeats the last line for ever. Without it, a model that is asked once too often is a Problem. */
  readonly repeatLast?: boolean;
};

const scriptedReceiver: Receiver = {
  name: "test/scripted",
  slots: "layered",
  voice: "system",
  cache: { kind: "breakpoint", min: 0, maxBreakpoints: 4, implicit: false, lookback: 20, ttlSeconds: 300 },
  window: 200_000,
  price: { input: 3, read: 0.3, write: 3.75, output: 15 },
  tokenizer: { name: "estimate", exact: false },
};

const scriptedUsage: Usage = { input: 1000, read: 600, written: 100, output: 20 };

/**
 * A model for tests: it answers with the lines of a script, one each time it is asked, and needs no key and no network.
 *
 * `scriptedModel([callsTools(["weather", { city: "Rome" }]), "It rains."])` calls a tool, then answers.
 */
export function scriptedModel(lines: readonly ScriptLine[], options: ScriptedModelOptions = {}): ScriptedModel {
  checkNames<ScriptedModelOptions>("scriptedModel", options, ["receiver", "usage", "repeatLast"]);
  const { receiver = {}, usage = scriptedUsage, repeatLast = false } = options;
  if (!Array.isArray(lines))
    throw new Problem(
      "bad-script",
      `The script of a model is a list of lines, and it was given ${givenAs(lines)}.`,
      'Give scriptedModel(["Hello."]).',
    );
  const requests: ModelRequest[] = [];
  let script: readonly ScriptLine[] = lines;
  let played = 0;
  return {
    receiver: { ...scriptedReceiver, ...receiver },
    requests,
    say: (...more) => {
      script = more;
      played = 0;
    },
    ask: async (request, asking) => {
      requests.push(structuredClone(request));
      const line = script[repeatLast ? Math.min(played, script.length - 1) : played];
      played++;
      if (line === undefined) throw scriptOver(played, script.length);
      return playLine(line, usage, request, asking);
    },
  };
}

function scriptOver(asked: number, lines: number): Problem {
  const length = lines === 0 ? "no line" : lines === 1 ? "one line" : `${lines} lines`;
  return new Problem(
    "script-over",
    `The model was asked ${ordinal(asked)}, and its script has ${length}.`,
    "Add a line to the script, or give scriptedModel(…, { repeatLast: true }).",
  );
}

function ordinal(count: number): string {
  if (count === 1) return "once";
  const ending = count % 100 > 10 && count % 100 < 14 ? "th" : (["th", "st", "nd", "rd"][count % 10] ?? "th");
  return `a ${count}${ending} time`;
}

/**
 * A line of a script, for one request: a text, an answer (`{ text, calls, usage … }`, missing fields are filled in), a fault, or
 * a function that makes one of these from the request.
 */
export type ScriptLine = string | Partial<Answer> | { readonly fault: Fault } | ScriptFunction;

/** A line that is made when the model is asked, from the request. */
export type ScriptFunction = (
  request: ModelRequest,
  options: AskOptions,
) => ScriptLine | ModelResult | Promise<ScriptLine | ModelResult>;

/** A tool call of a script: the tool's name, its input (a text is sent as it is, valid JSON or not), and the call's id. */
export type ScriptedCall = readonly [name: string, input?: object | string, id?: string];

let callCount = 0;

/** Makes a line that calls tools, one after the other: `callsTools(["weather", { city: "Rome" }])`. */
export function callsTools(...wanted: readonly ScriptedCall[]): Partial<Answer> {
  const wrong = wanted.findIndex((call) => !Array.isArray(call) || !isText(call[0]));
  if (wrong !== -1)
    throw new Problem(
      "bad-script",
      `A call of a tool that callsTools was given is ${kindOf(wanted[wrong])}.`,
      'Give each call as a list, name first: callsTools(["weather", { city: "Rome" }]).',
    );
  return {
    calls: wanted.map(([name, input = {}, id = `call-${++callCount}`]) => ({
      id,
      name,
      input: typeof input === "string" ? input : JSON.stringify(input),
    })),
  };
}

/** Makes a line with which the model fails: it is busy, unless said otherwise, and may be asked again. */
export function failsWith(fault: Partial<Fault> = {}): { readonly fault: Fault } {
  return { fault: { code: "model-busy", message: "Too many requests.", retry: true, ...fault } };
}

/** Options for a model that hangs. */
export type HangOptions = {
  /** The text it gives before it hangs. */
  readonly text?: string;
  /** Called when it is asked: the test may now stop the turn. */
  readonly onStart?: () => void;
};

/** Makes a line with which the model says nothing more until the turn is stopped. */
export function hangsUntilAborted(options: HangOptions = {}): ScriptFunction {
  checkNames<HangOptions>("hangsUntilAborted", options, ["text", "onStart"]);
  const { text = "", onStart } = options;
  return (_request, { signal, onText }) =>
    new Promise((resolve) => {
      if (text !== "") onText?.(text);
      const stop = () => resolve({ fault: { code: "model-aborted", message: "It was called off.", retry: false } });
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
      onStart?.();
    });
}

/** Returns the result of a line. */
async function playLine(
  line: ScriptLine | ModelResult,
  usage: Usage,
  request: ModelRequest,
  options: AskOptions,
): Promise<ModelResult> {
  if (typeof line === "function") return playLine(await line(request, options), usage, request, options);
  if (typeof line === "string") return playLine({ text: line }, usage, request, options);
  if (typeof line !== "object" || line === null)
    throw new Problem(
      "bad-script",
      `A line of the model's script is ${kindOf(line)}.`,
      "Give a text, what callsTools, failsWith or hangsUntilAborted gives, an answer, or a function that gives one of these.",
    );
  if ("fault" in line && line.fault) return { fault: line.fault };
  if ("answer" in line && line.answer) return { answer: line.answer };
  const { text = "", calls = [], ...more } = line as Partial<Answer>;
  if (text !== "") options.onText?.(text);
  return { answer: { text, calls, finish: calls.length > 0 ? "tool-calls" : "stop", usage, ...more } };
}

/** A time span, the sum of all its fields. */
export type ClockStep = {
  readonly days?: number;
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
  readonly milliseconds?: number;
};

/** A clock that stands still until the test moves it. It is a function, as `createAgent({ clock })` takes it. */
export type TestClock = (() => Date) & {
  /** Moves it on by a time span, or back, where a number is negative. */
  readonly advance: (by: ClockStep) => void;
  /** Sets it to another time. */
  readonly set: (time: string | Date) => void;
};

/** Makes a clock for tests: `testClock("2026-02-18T09:00:00Z")`. */
export function testClock(start: string | Date): TestClock {
  let now = instantOf(start);
  return Object.assign(() => new Date(now), {
    advance: (by: ClockStep) => {
      now += millisecondsOf(by);
    },
    set: (time: string | Date) => {
      now = instantOf(time);
    },
  });
}

const units = { days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1000, milliseconds: 1 };

/** Adds up a time span. An unknown unit is refused, because the clock would silently stand still. */
function millisecondsOf(by: ClockStep): number {
  const steps = Object.entries(by).map(([unit, count]) => count * (units[unit as keyof ClockStep] ?? Number.NaN));
  const sum = steps.reduce((all, step) => all + step, 0);
  if (steps.length > 0 && Number.isFinite(sum)) return sum;
  const hint = "Give a time span, as in { minutes: 5 }.";
  throw new Problem("bad-time", `A clock cannot be moved by ${JSON.stringify(by)}.`, hint);
}

function instantOf(time: string | Date): number {
  const instant = new Date(time).getTime();
  // Times without their zone would be different ones on another machine.
  const isClear = typeof time !== "string" || /^\d{4}-\d\d-\d\d$|(?:Z|[+-]\d\d:?\d\d)$/i.test(time);
  if (isClear && !Number.isNaN(instant)) return instant;
  throw new Problem("bad-time", `“${time}” is no time.`, "Give an ISO 8601 time, as in 2026-02-18T15:04:00Z.");
}

/** Options for a store in memory. */
export type MemoryStoreOptions = {
  /** The clock of the store; the computer's, unless given. Give the agent the same. */
  readonly clock?: () => Date;
};

/** Opens a real store, in SQLite, in memory: nothing of it is faked, and nothing is left of it when it is closed. */
export async function memoryStore(options: MemoryStoreOptions = {}): Promise<Store> {
  checkNames<MemoryStoreOptions>("memoryStore", options, ["clock"]);
  const { clock } = options;
  // Loaded here, so that the rest of this door works without a database, as in a browser.
  const [{ createStore }, { sqlite }] = await Promise.all([
    import("../store/store.ts"),
    import("../store/home/sqlite/sqlite.ts"),
  ]);
  return createStore(sqlite(":memory:"), clock ? { now: clock } : {});
}

/**
 * Returns the reply of a turn; where there is none, the test fails and says why: `replyOf(await agent.runTurn({ input: "Hi", user: "mia" }))`.
 */
export function replyOf(outcome: Pick<TurnOutcome, "state" | "reply" | "problem">): string {
  const { state, reply, problem } = Object(outcome) as TurnOutcome;
  if (!isText(state))
    throw failure(
      `replyOf takes the outcome of a turn, and it was given ${givenAs(outcome)}: replyOf(await agent.runTurn({ input, user })).`,
      replyOf,
    );
  if (reply !== null) return reply;
  const why = problem ? `${problem.code}: ${problem.message}\n${problem.hint}` : `it is ${state}.`;
  throw failure(`The turn has no reply: ${why}`, replyOf);
}
