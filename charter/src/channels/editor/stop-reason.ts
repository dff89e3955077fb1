import type { TurnOutcome } from "../../agent/turn-interface.ts";
import type { Usage } from "../../delivery/model.ts";

/** Why a turn ended, in the protocol's words. */
type StopReason = "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled";

/** How a turn of an editor ended, and what it used where the provider says so. */
export type PromptEnd = { readonly stop: StopReason; readonly usage?: TokenUsage };

/** Tokens by kind: those from and into the cache are not among the input. */
type TokenUsage = {
  readonly totalTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedReadTokens?: number;
  readonly cachedWriteTokens?: number;
};

/** The reason of a turn that came to an end; nothing of one that went wrong. `finish`: how the last answer ended. */
export function stopReason(
  { state, problem }: Pick<TurnOutcome, "state" | "problem">,
  { finish, stopped }: { readonly finish?: unknown; readonly stopped: boolean },
): StopReason | undefined {
  if (stopped) return "cancelled";
  if (state === "answered")
    return finish === "length" ? "max_tokens" : finish === "content-filter" ? "refusal" : "end_turn";
  if (problem?.code === "turn-steps") return "max_turn_requests";
  // An extension took the input itself: nothing was asked, and nothing failed.
  return problem?.code === "input-handled" ? "end_turn" : undefined;
}

/** What the provider counted; nothing where it counted nothing. */
export function tokenUsage({ input, read, written, output }: Usage): TokenUsage | undefined {
  if (input === null && output === null) return undefined;
  const [all, fromCache, toCache, out] = [input, read, written, output].map((count) => count ?? 0) as [
    number,
    number,
    number,
    number,
  ];
  return {
    totalTokens: Math.max(all, fromCache + toCache) + out,
    inputTokens: Math.max(0, all - fromCache - toCache),
    outputTokens: out,
    ...(read === null ? {} : { cachedReadTokens: read }),
    ...(written === null ? {} : { cachedWriteTokens: written }),
  };
}
