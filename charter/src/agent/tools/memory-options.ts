import { type EmbedderChoice, givenEmbedder } from "../../delivery/embedder.ts";
import type { ModelSources } from "../../delivery/models/table/find-model.ts";
import { isObject } from "../../prompt/argument.ts";
import type { Store } from "../../store/store.ts";

/** How notes are found besides by their words. */
export type MemoryOptions = {
  /**
   * What makes vectors of notes: an embedding model's name, as in `openai/text-embedding-3-small`, one of the AI SDK, or
   * `{ name, embed }`. Notes and what is looked for are sent there.
   */
  readonly embed: EmbedderChoice;
};

export const howToEmbed =
  'Give { embed: "openai/text-embedding-3-small" }, or an embedder: { embed: { name, embed } }.';

export function isMemoryOptions(value: unknown): boolean {
  return isObject(value) && (value as Partial<MemoryOptions>).embed !== undefined;
}

/** The same store, whose notes are found by their meaning as well. */
export function storeWithMeaning(store: Store, memory: MemoryOptions | undefined, sources: ModelSources): Store {
  if (memory === undefined) return store;
  return { ...store, memory: store.memory.withEmbedder(givenEmbedder(memory.embed, sources)) };
}
