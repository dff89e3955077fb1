import { createScriptedModel, type ScriptLine } from "../../../charter/src/cli/demo/demo-words.ts";
import type { Model } from "../../../charter/src/delivery/model.ts";
import { receiverOf } from "../../../charter/src/delivery/receiver.ts";
import { standInReceiver } from "../../../charter/src/delivery/stand-in.ts";

/** What a model does when it is asked these very words: tools, step by step, and then what it says; or why it fails. */
export type Told = ScriptLine;

/**
 * The stand-in, which knows what to say where it was told so, under any model's name: it counts and is billed as that
 * one would be. The cache it reckons with is as old as the clock says.
 */
export function toldModel(name: string, clock: () => Date, told: ReadonlyMap<string, Told>): Model {
  // The stand-in takes the last words in the user's voice for the user's.
  const receiver = name === standInReceiver.name ? standInReceiver : receiverOf(name, { voice: "system" });
  return createScriptedModel({ script: told, now: clock, receiver });
}
