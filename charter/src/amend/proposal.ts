import type { Actor } from "../prompt/mutability.ts";
import type { Operation } from "./operation.ts";

/**
 * A request to change one section: by whom, how and why. `revision` is the one it is based on, `turn` the turn it comes
 * from.
 */
export type Proposal = {
  readonly section: string;
  readonly operation: Operation;
  readonly actor: Actor;
  readonly reason?: string;
  readonly revision?: number;
  readonly turn?: string;
};
