import type { Section } from "./section.ts";

/** Whose hand. */
export type Actor = "agent" | "user" | "operator";

/** Who may change the words while running: nobody, the named actors, or nobody because they are made afresh each turn. */
export type Mutability = "fixed" | "live" | { readonly amendableBy: readonly Actor[] };

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

/** May an agent or a user, as opposed to the operator, change these words? */
export function amendableFromInside(mutability: Mutability): boolean {
  return typeof mutability === "object" && mutability.amendableBy.some((actor) => actor !== "operator");
}

/** One word for it, as it is shown and sent. */
export function mutabilityName(mutability: Mutability): "fixed" | "live" | "amendable" {
  return typeof mutability === "object" ? "amendable" : mutability;
}
