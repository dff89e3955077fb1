import type { NextRequestAnswer } from "charter/answers";
import { count, plural } from "../../kit/words.ts";

/** What happens to the cached prefix with the next request, in a sentence. */
export function changeWords({ how, sections = [], reason }: NonNullable<NextRequestAnswer["prefixChange"]>): string {
  const named = sections.map((one) => `“${one}”`).join(", ");
  if (how === "opened") return "Nothing was sent in this conversation yet: the prefix is new.";
  if (how === "kept") return "The prefix is the one that was sent before.";
  if (how === "updated")
    return `The prefix is the one that was sent before. ${named} changed since: sent as ${sections.length === 1 ? "an update" : "updates"} before your message.`;
  const changed = sections.length === 0 ? "" : ` It now includes the changes of ${named}.`;
  return `The prefix is rebuilt with the next request, because ${reason ?? "it changed"}.${changed}`;
}

/** Where the tokens of a request are; what there is none of is not named. */
export function shareWords({ tools, prefix, history, state }: NextRequestAnswer["tokens"]): string {
  const parts: readonly (readonly [number, string])[] = [
    [tools, "tools"],
    [prefix, "prefix"],
    [history, "history"],
    [state, "dynamic state"],
  ];
  return parts.flatMap(([tokens, name]) => (tokens === 0 ? [] : [`${name} ${count(tokens)}`])).join(" · ");
}

/** How much of a request was read from the cache, or is expected to be. */
export function cacheWords(
  { read, written, fresh }: NonNullable<NextRequestAnswer["predicted"]>,
  verb: "was" | "is expected to be",
): string {
  const all = read + written + fresh;
  if (read === 0) return `None of it ${verb} read from the cache.`;
  return `${count(read)} of ${plural(all, "token")} ${verb.replace(/^is/, "are").replace(/^was/, "were")} read from the cache.`;
}
