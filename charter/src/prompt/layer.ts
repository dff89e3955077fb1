import type { Mutability } from "./mutability.ts";
import type { Section } from "./section.ts";

/** A rung of precedence: on conflict the earlier layer wins. */
export type Layer = {
  readonly name: string;
  readonly owner?: string;
  readonly mutability: Mutability;
  readonly sections: readonly Section[];
  /** Used when every section of the layer is confirmed empty. */
  readonly fallback?: readonly Section[];
  /** Between its sections; the charter's, unless said otherwise. */
  readonly separator?: string;
};
