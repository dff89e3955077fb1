import { isObject, isText } from "./argument.ts";

/**
 * Makes vectors of texts, so that notes are found by what they mean. Vectors of another name are another's: give a new
 * model a new name.
 */
export type Embedder = {
  readonly name: string;
  /** One vector for each text, all of the same length. */
  readonly embed: (
    texts: readonly string[],
    about: { readonly signal: AbortSignal },
  ) => Promise<readonly ArrayLike<number>[]>;
};

export function isEmbedder(value: unknown): value is Embedder {
  return isObject(value) && isText((value as Embedder).name) && typeof (value as Embedder).embed === "function";
}
