import type { Usage } from "../delivery/model.ts";
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
