import type { ModelRequest, Usage } from "../../src/delivery/model.ts";
import type { Receiver } from "../../src/delivery/receiver.ts";
import {
  failsWith,
  hangsUntilAborted,
  type ScriptedModel,
  type ScriptLine,
  scriptedModel,
} from "../../src/testing/index.ts";

/** The doors' script lines, by the short names of our own tests. */
export {
  callsTools as calls,
  type ScriptedCall as Wanted,
  type ScriptedModel as Scripted,
  type ScriptFunction as Doing,
  type ScriptLine as Line,
  systemTextOf as systemOf,
  transcriptOf as spoken,
} from "../../src/testing/index.ts";

export const usage: Usage = { input: 1000, read: 600, written: 100, output: 20 };

export const receiver: Receiver = scriptedModel([], { receiver: { name: "test/one" } }).receiver;

/** A scripted model whose last line answers for ever. */
export function scripted(lines: readonly ScriptLine[] = ["Fine."], about: Partial<Receiver> = {}): ScriptedModel {
  return scriptedModel(lines, { receiver: { ...receiver, ...about }, usage, repeatLast: true });
}

export const busy = failsWith;

export const hangs = (onStart: () => void = () => {}, text = ""): ScriptLine => hangsUntilAborted({ onStart, text });

/** All of a request in one text: what must not be there is looked for in this. */
export function bytesOf(request: ModelRequest): string {
  return JSON.stringify(request);
}
