/**
 * Whose text it is: the operator's or the program's (`own`), this turn's user's or the agent's (`user`), anyone else's
 * (`foreign`: it is always quoted).
 */
export type Trust = "own" | "user" | "foreign";

/**
 * The smallest piece of a section that can be trimmed on its own: one message, one fact, one tool line. Sources return
 * them.
 *
 * A source that returns the same object again says that nothing changed, and what was rendered and counted for it is
 * reused. So never modify a part; replace it.
 */
export type Part = {
  readonly text: string;
  /** A name for it, shown in spans, and named by `parent`. */
  readonly id?: string;
  /** What `givesWay` calls it: "fact", "exchange". */
  readonly kind?: string;
  /** Its text when room is short, and in the compact edition of a section with `compact`; "" for none. */
  readonly short?: string;
  /** The id of the part it belongs to; it is left out when that one is. */
  readonly parent?: string;
  /** A blank line comes before it. */
  readonly apart?: true;
  /** "full": left out of the compact edition. */
  readonly edition?: "full";
  /** Where it came from, shown by `why`. */
  readonly source?: string;
  readonly revision?: number;
  /** Whose text it is; the section's, unless given. */
  readonly trust?: Trust;
  /** The text contains untrusted text that its source has already quoted, line by line. */
  readonly fenced?: true;
};
