import type { Declaration } from "../agent/declaration.ts";
import type { TurnFacts } from "../amend/guard.ts";
import type { Notice } from "../prompt/notice.ts";
import type { SourceContext } from "../prompt/source.ts";

/** A declaration, and a turn to assemble it for: what facts come to. */
export type DeclaredTurn = Declaration & {
  readonly turn: SourceContext;
  readonly turnFacts: TurnFacts;
  /** What the facts gave cause to say. */
  readonly notices: readonly Notice[];
};
