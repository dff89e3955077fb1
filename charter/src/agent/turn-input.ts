import type { Watcher } from "./agent-event.ts";
import type { Limits } from "./limits.ts";

/** What `runTurn` is given: the message, and who sent it where. */
export type TurnInput = {
  readonly input: string;
  readonly user?: string;
  readonly channel?: string;
  /** The user's time zone, for users the store has none for. */
  readonly zone?: string;
  /**
   * A session's id, "new", or "none" for a turn without one. Unless given, the newest session with this user, model and
   * channel continues.
   */
  readonly session?: string;
  /** An id of your own, which must be unique. */
  readonly id?: string;
  /** Limits of this turn. Where the agent or its charter has a narrower one, that holds. */
  readonly limits?: Partial<Limits>;
  /** The input is other people's words: the turn is tainted from the start. */
  readonly foreign?: true;
  /**
   * Asked before anything of the turn is stored, when the turns before it in the session are over: whether it should
   * still run. Its user may have been erased meanwhile.
   */
  readonly isStillWanted?: () => Promise<boolean>;
};

/** A signal that stops the turn, and a function that is called with its events. */
export type RunTurnOptions = {
  readonly signal?: AbortSignal;
  readonly on?: Watcher;
  readonly approve?: (held: {
    id: string;
    tool: string;
    input: unknown;
    reason: string;
  }) => Promise<boolean | undefined>;
};
