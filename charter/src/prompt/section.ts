import type { Reading, Source, Trust } from "./reading.ts";

/**
 * How often a section's text changes: seldom (`stable`), once and then it is history (`event`), or every turn
 * (`state`). It decides where delivery places it.
 */
export type Stability = "stable" | "event" | "state";

/**
 * A named piece of a prompt: the unit that is shown, counted, changed, trimmed and traced.
 *
 * It consists of lead, heading, words, parts and closing, each if there is one. Lead, heading and closing are part of
 * the structure; nobody changes them while agents run.
 */
export type Section = {
  readonly name: string;
  /** Comes before the heading. */
  readonly lead?: string;
  /** Its first line, such as `## Goals`. Text of agents and users below it can have no heading of this level. */
  readonly heading?: string;
  /** A literal text. In a fixed section it is pinned by the lock; text from `sources` may follow it. */
  readonly words?: string;
  /** The short form of `words`, for the compact edition. */
  readonly short?: string;
  /** Where settings choose a fixed section's words: every line they can be made of. The lock pins these instead. */
  readonly wordings?: readonly string[];
  /** Called each turn for its text. */
  readonly sources?: readonly Source[];
  /** The first text of an amendable section; `reset` returns to it. */
  readonly original?: string;
  /** How the current text of an amendable section becomes a reading. As it is, unless given. */
  readonly read?: (standing: string) => Reading;
  /** Each user has an own copy of this amendable section. Without it, all users of the agent share one. */
  readonly scope?: "user";
  /** The text used when every source was empty. Never used when one was unavailable. */
  readonly fallback?: string;
  /** Its last line. */
  readonly closing?: string;
  /** Goes between its parts. */
  readonly separator?: string;
  /** The layer's, unless given. */
  readonly mutability?: Mutability;
  /** How often its text changes; `stable`, unless given. */
  readonly stability?: Stability;
  /** Whose text it is: `user` where agents or users may change it, else `own`, unless given. */
  readonly trust?: Trust;
  /** It never shows more than this; `told` says so to the model, with {kept} and {missing}. */
  readonly limit?: { readonly chars: number; readonly told: string };
  /** Room that is kept for a section of state, so that what stable sections give up never depends on its length. */
  readonly reserve?: { readonly chars: number; readonly tokens: number };
  /**
   * In the compact edition: its short forms, nothing, or, of an amendable text, the line that it brings for it (`compact`
   * of a proposal), else its first whole sentences. In full, unless given.
   */
  readonly compact?: "short" | "omit" | "line";
};

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

/** Who makes a change. */
export type Actor = "agent" | "user" | "operator";

/** Whose words are: an actor's, the charter's own, those of code, or anybody else's. */
export const hands = ["agent", "user", "operator", "charter", "program", "stranger"] as const;

export type Hand = (typeof hands)[number];

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
