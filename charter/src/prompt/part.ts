/** Whose words: the operator's or code's; this turn's own user's (or the agent's); anyone else's. */
export type Trust = "own" | "user" | "foreign";

/**
 * The smallest thing inside a section that can give way and be blamed: an exchange, a fact, a tool line, a skill.
 *
 * A source that hands out the same object again says "nothing changed here"; what was rendered and counted for it is
 * then used again. So a part is never altered, only replaced.
 */
export type Part = {
  readonly text: string;
  readonly id?: string;
  /** What `givesWay` calls it: "fact", "exchange". */
  readonly kind?: string;
  /** Its words when room is short, and in the compact edition of a section that asks for short forms; "" for none. */
  readonly short?: string;
  /** The id of the part it stands under; it goes when that one goes. */
  readonly parent?: string;
  /** A blank line stands before it. */
  readonly apart?: true;
  /** "full": left out of the compact edition. */
  readonly edition?: "full";
  readonly source?: string;
  readonly revision?: number;
  readonly trust?: Trust;
  /** The text holds foreign words that its source has already put behind a fence, each on its line. */
  readonly fenced?: true;
};
