import type { Actor } from "../prompt/mutability.ts";
import type { Operation } from "./operation.ts";

/** An actor's wish to change one section. `revision` is the one it was made against. */
export type Proposal = {
  readonly section: string;
  readonly operation: Operation;
  readonly actor: Actor;
  readonly reason?: string;
  readonly revision?: number;
  readonly turn?: string;
};
