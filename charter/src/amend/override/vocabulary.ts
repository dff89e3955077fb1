/**
 * Words of one language: what drops instructions, what says "previous", "all", "yours" or "the above", what instructions
 * are called, what shows them and what the standing prompt is called. `not` before the verb makes a warning of it, `notAfter`
 * does behind it, and `ask` means that somebody else's words are told of.
 */
export type Vocabulary = {
  readonly drop: string;
  readonly prior: string;
  readonly whole: string;
  readonly order: string;
  readonly own: string;
  readonly above: string;
  readonly show: string;
  readonly prompt: string;
  /** Of the verbs, those that cannot mean tidying up: a text is ignored, or only deleted. */
  readonly strong?: string;
  readonly talk?: string;
  readonly all?: string;
  /** What is said of instructions that are to count no more. */
  readonly void?: string;
  readonly fresh?: string;
  readonly be?: string;
  readonly not: string;
  readonly notAfter?: string;
  readonly ask: string;
};
