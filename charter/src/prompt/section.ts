import type { Reading, Source, Trust } from "./reading.ts";

/**
 * The rate at which a section's text changes: seldom (`stable`), once and then it is history (`event`), or every turn (`state`).
 * It decides where delivery places it.
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
  /** Text before the heading. */
  readonly lead?: string;
  /** The section's first line, such as `## Goals`. Text of agents and users below it can have no heading of this level. */
  readonly heading?: string;
  /** A literal text. In a fixed section it is pinned by the lock; text from `sources` may follow it. */
  readonly words?: string;
  /** The short form of `words`, for the compact edition. */
  readonly short?: string;
  /**
   * Every line that a fixed section's words can consist of, where settings choose them. The lock pins these instead of the words.
   */
  readonly wordings?: readonly string[];
  /** Functions that are called each turn for its text; `trust` says whose words they bring. */
  readonly sources?: readonly Source[];
  /** The first text of an amendable section; `reset` returns to it. */
  readonly original?: string;
  /** Turns the current text of an amendable section into a reading. Unless given, the text is used as it is. */
  readonly read?: (standing: string) => Reading;
  /** The text used when every source was empty. Never used when one was unavailable. */
  readonly fallback?: string;
  /** The section's last line. */
  readonly closing?: string;
  /** The text between its parts. */
  readonly separator?: string;
  /** The right to change it; its layer's, unless given. */
  readonly mutability?: Mutability;
  /** The rate at which its text changes; `stable`, unless given. */
  readonly stability?: Stability;
  /**
   * The author of its text: `own` (the operator or code), `user` (the turn's user or the agent) or `foreign` (anyone else). Beside
   * `sources` it has to be said; elsewhere it is `user` where agents or users may change the text, else `own`.
   */
  readonly trust?: Trust;
  /** Maximum number of characters it shows; `told` says to the model what is missing, with {kept} and {missing}. */
  readonly limit?: { readonly chars: number; readonly told: string };
  /** Room that is kept for a section of state, so that what stable sections give up never depends on its length. */
  readonly reserve?: { readonly chars: number; readonly tokens: number };
  /**
   * The form it takes in the compact edition: its short forms, nothing, or, for an amendable text, the line that it brings
   * (`compact` of a proposal), else its first whole sentences. In full, unless given.
   */
  readonly compact?: "short" | "omit" | "line";
  /** Says that changed text takes the old one's place: a session starts its prefix anew, and is not told of the change. */
  readonly replaced?: true;
};

/**
 * A group of sections with the same owner and mutability. Layers are in order of precedence: on conflict the earlier
 * one wins.
 */
export type Layer = {
  readonly name: string;
  /** The owner's name, as shown to operators. */
  readonly owner?: string;
  readonly mutability: Mutability;
  readonly sections: readonly Section[];
  /** Sections that are used when all of its own are really empty. */
  readonly fallback?: readonly Section[];
  /** The text between its sections; the charter's, unless given. */
  readonly separator?: string;
};

/** The author of a change. */
export type Actor = "agent" | "user" | "operator";

/** Author of text: an actor, the charter itself, code, or anybody else. */
export const hands = ["agent", "user", "operator", "charter", "program", "stranger"] as const;

export type Hand = (typeof hands)[number];

/**
 * The right to change a section while agents run: nobody's (`fixed`), the named actors', or nobody's because it is generated each
 * turn (`live`).
 */
export type Mutability =
  | "fixed"
  | "live"
  | {
      readonly amendableBy: readonly Actor[];
      /** Whose copy is changed: `user`, each user has one of their own; `agent`, one text that all users of the agent are sent. */
      readonly scope: SectionScope;
      /**
       * `operator`: changes by anyone else wait for the operator. `nobody`: they wait for nobody, not even those of one user's turn
       * that reach other users.
       */
      readonly approvedBy?: "operator" | "nobody";
    }
  | {
      /** Text that only the operator changes is everybody's. */
      readonly amendableBy: readonly "operator"[];
      readonly scope?: never;
      readonly approvedBy?: never;
    };

/** Whose copy of a section there is: each user's, or one for all users of the agent. */
export type SectionScope = "user" | "agent";

/** Tells whether an agent or a user, not only the operator, may change the words. */
export function amendableFromInside(mutability: Mutability): boolean {
  return typeof mutability === "object" && mutability.amendableBy.some((actor) => actor !== "operator");
}

/** Names a mutability by one word, as it is shown and sent. */
export function mutabilityName(mutability: Mutability): "fixed" | "live" | "amendable" {
  return typeof mutability === "object" ? "amendable" : mutability;
}
