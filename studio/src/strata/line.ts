import { count, plural } from "../kit/words.ts";

/** How a prefix is cached: so many tokens are needed (null: nothing is cached, undefined: nobody knows), so many of tools stand before it. */
export type CacheRule = {
  readonly min: number | null | undefined;
  readonly tools?: number | undefined;
  /** Of a request that was sent: the provider read and wrote nothing of it. */
  readonly unused?: boolean;
  /** Of a request that was sent: the provider did not say what it read and wrote. */
  readonly unknown?: boolean;
};

/** What is said at the line where the prefix ends. Tools stand before the prompt in a request, and are cached with it. */
export function lineText(tokens: number, { min, tools = 0, unused = false, unknown = false }: CacheRule): string {
  const all = tools === 0 ? plural(tokens, "token") : `${plural(tokens, "token")} after ${count(tools)} of tools`;
  if (unknown) return `prefix ends · ${all}`;
  if (unused) return `prefix ends · ${all} · not cached`;
  if (min === null) return `prefix ends · ${all} · not cached by this model`;
  if (min !== undefined && tokens + tools < min)
    return `prefix ends · ${all} · too short to be cached (${count(min)} needed)`;
  return `cached prefix ends · ${all}`;
}
