import type { Model, ModelRequest, Usage } from "../delivery/model.ts";
import type { Receiver } from "../delivery/receiver.ts";
import { checkNames } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import { givenAs } from "./expectation.ts";
import { playLine, type ScriptLine } from "./script-line.ts";

/** A model that follows a script, and keeps every request it was sent. */
export type ScriptedModel = Model & {
  /** Every request so far, oldest first, each as it was when it was sent. A test may empty the list. */
  readonly requests: ModelRequest[];
  /** Replaces what is left of the script by these lines. */
  readonly say: (...lines: readonly ScriptLine[]) => void;
};

/** What a scripted model is known by, and what it does when its script is over. */
export type ScriptedModelOptions = {
  /** What a model is known by that this one should be: its name, its window, its slots, its price. */
  readonly receiver?: Partial<Receiver>;
  /** What each answer says it used, unless its line says otherwise. */
  readonly usage?: Usage;
  /** The last line answers for ever. Without it, a model that is asked once too often is a Problem. */
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
