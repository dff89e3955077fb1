import type { Mutability } from "./mutability.ts";
import type { Section } from "./section.ts";

/**
 * A group of sections with the same owner and mutability. Layers are in order of precedence: on conflict the earlier
 * one wins.
 */
export type Layer = {
  readonly name: string;
  /** Who is responsible for it, as shown to operators. */
  readonly owner?: string;
  readonly mutability: Mutability;
  readonly sections: readonly Section[];
  /** Sections that are used when all of its own are really empty. */
  readonly fallback?: readonly Section[];
  /** Goes between its sections; the charter's, unless given. */
  readonly separator?: string;
};
