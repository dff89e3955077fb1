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
  readonly not: string;
  readonly notAfter?: string;
  readonly ask: string;
};
