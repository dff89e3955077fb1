/**
 * "prefix": by itself, the longest common run of tokens with a request not older than `ttl` seconds, in steps of
 * `granularity`. "breakpoint": only where a mark stands, of which the last `max` count; `implicit`: the provider sets
 * one more at the end; `lookback`: so many blocks before a mark an older one is still found. `read` and `write` are
 * prices, as shares of a fresh token's. Nothing shorter than `min` is kept.
 */
export type Rules =
  | { readonly kind: "none" }
  | (Prices & { readonly kind: "prefix"; readonly granularity: number })
  | (Prices & {
      readonly kind: "breakpoint";
      readonly max: number;
      readonly implicit: boolean;
      readonly lookback: number;
    });
type Prices = { readonly min: number; readonly read: number; readonly write: number; readonly ttl: number };
export type PrefixRules = Extract<Rules, { kind: "prefix" }>;
export type BreakpointRules = Extract<Rules, { kind: "breakpoint" }>;

export const providers = {
  none: { kind: "none" },
  /** OpenAI before GPT-5.6. Reading is 0.1 in the GPT-5 family; it was 0.25 for 4.1 and 0.5 for 4o. */
  "openai-auto": { kind: "prefix", min: 1024, granularity: 128, read: 0.1, write: 1, ttl: 300 },
  "openai-5.6": breakpoints({ max: 3, implicit: true, lookback: Number.POSITIVE_INFINITY, ttl: 1800 }),
  "openai-5.6-explicit": breakpoints({ max: 4, implicit: false, lookback: Number.POSITIVE_INFINITY, ttl: 1800 }),
  /** The minimum is 512 to 4,096, by model. An entry that is used lives anew. */
  anthropic: breakpoints({ max: 4, implicit: false, lookback: 20, ttl: 300 }),
} satisfies Readonly<Record<string, Rules>>;
export type Provider = keyof typeof providers;

function breakpoints(rules: Pick<BreakpointRules, "max" | "implicit" | "lookback" | "ttl">): BreakpointRules {
  return { kind: "breakpoint", min: 1024, read: 0.1, write: 1.25, ...rules };
}
