import type { Declaration } from "../agent/declaration.ts";
import type { TurnFacts } from "../amend/guard.ts";
import type { Notice } from "../prompt/notice.ts";
import type { SourceContext } from "../prompt/source.ts";

/** A declaration together with a turn to assemble it for. */
export type DeclaredTurn = Declaration & {
  readonly turn: SourceContext;
  readonly turnFacts: TurnFacts;
  /** Warnings about the facts it was made from. */
  readonly notices: readonly Notice[];
};
