/** What can have happened in a turn, as lists tell it. */
export const turnEvents = ["amended", "refused", "held", "cache-miss", "tool", "failed"] as const;

/**
 * Something that happened in a turn: an amendment was made, refused or held (or a tool's call was held), less was read
 * from the provider's cache than was left there, a tool was called, or it failed.
 */
export type TurnEvent = (typeof turnEvents)[number];
