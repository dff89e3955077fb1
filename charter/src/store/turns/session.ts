import type { Scope } from "../../amend/amendment.ts";
import type { Page } from "../home/page.ts";
import type { TurnFilter, TurnSort } from "./list/turn-filter.ts";

/**
 * A conversation: a series of turns that share a cached prefix. Read `baseline` with `baselineOf` in `charter/delivery`.
 */
export type Session = {
  readonly id: string;
  readonly scope: Scope;
  /** The model it was last sent to. */
  readonly receiver: string;
  /** The model that would have been asked instead, while another of the agent's takes its place. */
  readonly standsInFor?: string;
  /** The channel its turns come from; null: any. */
  readonly channel: string | null;
  /** Why it was opened although there was one before it: “new” was asked for, or that one was “idle” for too long. */
  readonly because: SessionReason | null;
  readonly baseline: unknown;
  readonly startedAt: string;
  readonly lastAt: string;
  readonly endedAt: string | null;
};

/** Why a session was opened although there was one before it. */
export type SessionReason = "new" | "idle";

/**
 * Which sessions are meant: those of one agent, user or channel; `open`: only those that can go on. What else a filter
 * of turns says holds of at least one turn in it; what it may cost, of all of them together.
 */
export type SessionFilter = Omit<TurnFilter, "session"> & { readonly open?: boolean | undefined };

/** Which sessions are listed, in which order: the most recently used first, unless asked for otherwise. */
export type ListSessionsOptions = Page & SessionFilter & { readonly sort?: Exclude<TurnSort, "duration"> | undefined };

export type SessionRow = {
  id: string;
  agent: string;
  user_id: string;
  receiver: string;
  stands_in_for: string | null;
  channel: string | null;
  because: SessionReason | null;
  baseline: string;
  started_at: string;
  last_at: string;
  ended_at: string | null;
};
