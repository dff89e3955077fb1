import type { Usage } from "../delivery/model.ts";
import type { Receiver } from "../delivery/receiver.ts";
import type { Notice } from "../prompt/notice.ts";

/**
 * The result of a turn. Only an answered turn has a reply; and one whose answer is not what its `output` says, which
 * failed with the problem `bad-output`.
 */
export type TurnOutcome<Output = unknown> = {
  readonly turn: string;
  readonly session: string;
  readonly state: "answered" | "failed";
  readonly reply: string | null;
  /** The answer as a value, where the turn was asked with an `output` and was answered. */
  readonly output?: Output;
  /** Why there is no answer, as a Problem says it. */
  readonly problem?: {
    readonly code: string;
    readonly message: string;
    readonly hint: string;
    /** Nobody gets an answer of this model now, whatever is asked: its key is refused, its name unknown, its quota spent. */
    readonly outage?: true;
  };
  readonly steps: number;
  /** Untrusted text was in its context. */
  readonly tainted: boolean;
  readonly usage: Usage;
  /** In dollars; null if the model's price is not known. */
  readonly cost: number | null;
  readonly notices: readonly Notice[];
};

export const noUsage: Usage = { input: null, read: null, written: null, output: null };

export function addUsage(one: Usage, other: Usage): Usage {
  const sum = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : a + b);
  return {
    input: sum(one.input, other.input),
    read: sum(one.read, other.read),
    written: sum(one.written, other.written),
    output: sum(one.output, other.output),
  };
}

/** What the provider's count comes to, in dollars. */
export function costOf({ input, read, written, output }: Usage, { price }: Receiver): number | null {
  if (!price) return null;
  const [fromCache, toCache] = [read ?? 0, written ?? 0];
  const fresh = Math.max(0, (input ?? 0) - fromCache - toCache);
  return (
    (fresh * price.input + fromCache * price.read + toCache * price.write + (output ?? 0) * price.output) / 1_000_000
  );
}
