import type { Watcher } from "./agent-event.ts";

/** What a turn is asked. */
export type TurnInput = {
  readonly input: string;
  readonly user?: string;
  readonly channel?: string;
  /** The user's own, unless the store knows better. */
  readonly zone?: string;
  /** A session's id, "new", or "none" for a turn of its own. The newest with this model on this channel goes on, unless said otherwise. */
  readonly session?: string;
  readonly id?: string;
  /**
   * Asked when it is this turn's turn in its session, before anything of it is kept: whether it is still wanted. Whoever
   * it was for may have been erased while it waited, or someone else may have it by now.
   */
  readonly isStillWanted?: () => Promise<boolean>;
};

export type RunTurnOptions = { readonly signal?: AbortSignal; readonly on?: Watcher };
