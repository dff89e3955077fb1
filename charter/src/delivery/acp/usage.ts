import type { Usage } from "../model.ts";
import { objectOf } from "./slot.ts";

/** Tokens of a turn as an agent reported them; null where it did not. */
export function usageOf(reported: unknown): Usage {
  const said = objectOf(reported);
  const [input, output, total] = [count(said.inputTokens), count(said.outputTokens), count(said.totalTokens)];
  const [read, written] = [count(said.cachedReadTokens), count(said.cachedWriteTokens)];
  if (input === null) return { input: null, read, written, output };
  const cached = (read ?? 0) + (written ?? 0);
  // Some count what came from the cache as input, some beside it: the sum of all tells which.
  const isBeside = total !== null && total >= input + (output ?? 0) + cached;
  return { input: isBeside ? input + cached : input, read, written, output };
}

function count(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
