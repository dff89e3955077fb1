import type { Charter } from "../prompt/charter.ts";
import type { SectionText } from "../prompt/receipt.ts";
import type { Block, Message, ModelRequest } from "./model.ts";
import type { Receiver } from "./receiver.ts";

/**
 * After how many sections of the prefix breakpoints stand: after all of them, and after those that every user of the
 * agent shares, where one more may be set.
 */
export function prefixBreakpoints(charter: Charter, prefix: readonly SectionText[], { cache }: Receiver): number[] {
  if (cache.kind !== "breakpoint" || prefix.length === 0 || cache.maxBreakpoints < 2) return [];
  const scopes = new Map(charter.layers.flatMap(({ sections }) => sections.map(({ name, scope }) => [name, scope])));
  const own = prefix.findIndex(({ name, layer }) => layer === "delivery" || scopes.get(name) === "user");
  return own > 0 && cache.maxBreakpoints > 3 ? [own, prefix.length] : [prefix.length];
}

/** After how many messages breakpoints stand: all of them, and those the request before this one ended with. */
export function historyBreakpoints(length: number, sent: number, { cache }: Receiver): number[] {
  if (cache.kind !== "breakpoint" || length === 0 || cache.maxBreakpoints < 1) return [];
  return sent > 0 && sent < length && cache.maxBreakpoints > 2 ? [sent, length] : [length];
}

/** One block up to each breakpoint: nothing is won by more. */
export function blocksOf(prefix: readonly SectionText[], breakpoints: readonly number[]): Block[] {
  const ends = breakpoints.includes(prefix.length) ? breakpoints : [...breakpoints, prefix.length];
  return ends.flatMap((end, index): Block[] => {
    const text = prefix
      .slice(index === 0 ? 0 : ends[index - 1], end)
      .map((words) => words.text)
      .join("");
    return text === "" ? [] : [breakpoints.includes(end) ? { text, breakpoint: true } : { text }];
  });
}

export function withBreakpoints(history: readonly Message[], marks: readonly number[]): ModelRequest["messages"] {
  if (marks.length === 0) return history;
  const messages: ModelRequest["messages"][number][] = [...history];
  for (const mark of marks) messages[mark - 1] = { ...(history[mark - 1] as Message), breakpoint: true };
  return messages;
}
