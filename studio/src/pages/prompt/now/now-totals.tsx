import type { NextRequestAnswer } from "charter/answers";
import { exactness, plural } from "../../../kit/words.ts";
import { cacheWords, changeWords, shareWords } from "./now-words.ts";

/** What the next request comes to, and what happens to its prefix. */
export function NowTotals({ next }: { readonly next: NextRequestAnswer }) {
  const { tokens, model, agent, prefixChange, predicted } = next;
  return (
    <>
      <span className="block">
        What goes out with <bdi>{agent}</bdi>’s next turn in this conversation, in the order the model reads it.
      </span>
      <span className="block tabular-nums">
        <span className="font-medium text-ink">{plural(tokens.total, "token")}</span> {exactness(tokens)} (
        {tokens.tokenizer}) before your message: {shareWords(tokens)} · for <bdi>{model}</bdi>
      </span>
      <span className="block [overflow-wrap:anywhere]">
        {prefixChange && changeWords(prefixChange)} {predicted && cacheWords(predicted)}
      </span>
    </>
  );
}
