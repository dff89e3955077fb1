import type { Fault, Model } from "../../delivery/model.ts";
import { receiverFacts } from "../../delivery/receiver.ts";
import { Problem } from "../../prompt/problem.ts";

/** Models as `createAgent` takes them: the first is loaded, the others are names. */
export type LoadedList = readonly [Model, ...string[]];

/**
 * The models of an agent. Where the first cannot be loaded (its key is missing) and another can, it stands in the list as
 * one that takes no requests: its turns are answered by the next, and tell so.
 */
export async function loadList(names: readonly string[], load: (name: string) => Promise<Model>): Promise<LoadedList> {
  const [first = "", ...others] = names;
  try {
    return [await load(first), ...others];
  } catch (error) {
    if (!(error instanceof Problem) || !(await anyLoads(others, load))) throw error;
    return [modelNotLoaded(first, error), ...others];
  }
}

async function anyLoads(names: readonly string[], load: (name: string) => Promise<Model>): Promise<boolean> {
  for (const name of names)
    if (
      await load(name).then(
        () => true,
        () => false,
      )
    )
      return true;
  return false;
}

function modelNotLoaded(name: string, { message }: Problem): Model {
  const fault: Fault = { code: "model-rejected", message, retry: false, outage: true };
  // Asked before anything is sent or recorded.
  return { receiver: receiverFacts(name), prepare: async () => ({ fault }), ask: async () => ({ fault }) };
}
