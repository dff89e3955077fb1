import { count, plural } from "../kit/words.ts";

/** What is said at the line: `cacheMin` is the least a prefix needs to be cached, null where nothing is, undefined where nobody knows. */
export function lineText(tokens: number, cacheMin: number | null | undefined): string {
  if (cacheMin === null) return `prefix ends · ${plural(tokens, "token")} · nothing is cached here`;
  if (cacheMin !== undefined && tokens < cacheMin) return `too short to be cached (${count(cacheMin)} needed)`;
  return `cached prefix ends · ${plural(tokens, "token")}`;
}
