import { count, plural, share, timeText } from "../kit/words.ts";
import { allOf, billOf } from "./bill.ts";
import { type Mark, marksOf, missText } from "./marks.ts";
import { type Sample, tokensIn } from "./sample.ts";

export const hands = { agent: "the agent", user: "the user", operator: "the operator" } as const;

/** Names one after another, as one says them. */
export function listed(names: readonly string[], max = 3): string {
  const shown = [...new Set(names)];
  const named = shown.slice(0, max).map((name) => `“${name}”`);
  if (shown.length > max) return `${named.join(", ")} and ${shown.length - max} more`;
  return named.length < 2 ? named.join("") : `${named.slice(0, -1).join(", ")} and ${named.at(-1)}`;
}

export function markText(mark: Mark): string {
  switch (mark.kind) {
    case "amended":
      return `${hands[mark.hand]} amended ${listed(mark.sections)}`;
    case "refused":
      return `${plural(mark.count, "proposal")} refused`;
    case "held":
      return `${count(mark.count)} needed approval`;
    case "failed":
      return "it failed";
    case "interrupted":
      return "it was interrupted";
    case "erased":
      return "it was erased";
    case "running":
      return "it is running";
  }
}

const sentence = (words: string) => (words === "" ? "" : `${words[0]?.toUpperCase()}${words.slice(1)}.`);

/** Everything a sample's picture says, in words: for whoever hears it. */
export function sampleText(sample: Sample): string {
  const { scope, channel, input, sections } = sample;
  const bill = billOf(sample);
  const who = [scope.user ?? "nobody", ...(channel === null ? [] : [`on ${channel}`])].join(" ");
  return [
    `${timeText(sample.startedAt)}, ${who}${input === "" ? "" : `: “${input}”`}.`,
    ...(sections.length === 0
      ? []
      : [`${plural(tokensIn(sections), "token")} in ${plural(sections.length, "section")}.`]),
    ...(bill && allOf(bill) > 0 ? [`${share(bill.read, allOf(bill))} read from the cache.`] : []),
    ...marksOf(sample).map((mark) => sentence(markText(mark))),
    ...(sample.missed ? [`Cache miss: ${missText(sample)}`] : []),
  ].join(" ");
}
