import type { Answer, AskOptions, Fault, ModelRequest, ModelResult, Usage } from "../delivery/model.ts";
import { checkNames, isText, kindOf } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";

/**
 * What a scripted model does when it is asked once: says a text, gives an answer (`{ text, calls, usage … }`, what is left
 * out is filled in), fails, or does what a function makes of the request.
 */
export type ScriptLine = string | Partial<Answer> | { readonly fault: Fault } | ScriptFunction;

/** A line that is made when the model is asked, from the request. */
export type ScriptFunction = (
  request: ModelRequest,
  options: AskOptions,
) => ScriptLine | ModelResult | Promise<ScriptLine | ModelResult>;

/** One tool call of a script: the tool's name, its input (a text is sent as it is, sound JSON or not), and the call's id. */
export type ScriptedCall = readonly [name: string, input?: object | string, id?: string];

let made = 0;

/** A line that calls tools, one after the other: `callsTools(["weather", { city: "Rome" }])`. */
export function callsTools(...wanted: readonly ScriptedCall[]): Partial<Answer> {
  const wrong = wanted.findIndex((call) => !Array.isArray(call) || !isText(call[0]));
  if (wrong !== -1)
    throw new Problem(
      "bad-script",
      `A call of a tool that callsTools was given is ${kindOf(wanted[wrong])}.`,
      'Give each call as a list, name first: callsTools(["weather", { city: "Rome" }]).',
    );
  return {
    calls: wanted.map(([name, input = {}, id = `call-${++made}`]) => ({
      id,
      name,
      input: typeof input === "string" ? input : JSON.stringify(input),
    })),
  };
}

/** A line with which the model fails: it is busy, unless said otherwise, and may be asked again. */
export function failsWith(fault: Partial<Fault> = {}): { readonly fault: Fault } {
  return { fault: { code: "model-busy", message: "Too many requests.", retry: true, ...fault } };
}

/** How a model hangs. */
export type HangOptions = {
  /** What it says before it hangs. */
  readonly text?: string;
  /** Called when it was asked: the test may now stop the turn. */
  readonly onStart?: () => void;
};

/** A line with which the model says nothing more until the turn is stopped. */
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

/** What a line comes to. */
export async function playLine(
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
