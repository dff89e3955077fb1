/** Who makes a change. */
export type Actor = "agent" | "user" | "operator";

/**
 * Who may change a section while agents run: nobody (`fixed`), the named actors, or nobody because it is made anew each
 * turn (`live`).
 */
export type Mutability =
  | "fixed"
  | "live"
  | {
      readonly amendableBy: readonly Actor[];
      /** What anyone else changes waits until the operator approves it. */
      readonly approvedBy?: "operator";
    };

/** May an agent or a user, as opposed to the operator, change these words? */
export function amendableFromInside(mutability: Mutability): boolean {
  return typeof mutability === "object" && mutability.amendableBy.some((actor) => actor !== "operator");
}

/** One word for it, as it is shown and sent. */
export function mutabilityName(mutability: Mutability): "fixed" | "live" | "amendable" {
  return typeof mutability === "object" ? "amendable" : mutability;
}
