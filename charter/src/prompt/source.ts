import type { Notice } from "./notice.ts";
import type { Reading } from "./reading.ts";

/**
 * The current text of an amendable section and its revision, or why it could not be read. Revision 0 is the original.
 */
export type Standing =
  | { readonly text: string; readonly revision: number; readonly notices?: readonly Notice[] }
  | { readonly unavailable: string };

/** How a tool is listed in the prompt while it can be called. `left`: how many more calls this turn may make. */
export type ToolLine = {
  readonly name: string;
  readonly summary?: string;
  readonly guidelines?: readonly string[];
  readonly left?: number;
};

/**
 * The turn that sources are read for: who, where, when, which tools, and the current text of amendable sections
 * (`store.standings.read`).
 */
export type SourceContext = {
  readonly agent?: string;
  readonly user?: string;
  readonly channel?: string;
  /** An ISO 8601 instant. */
  readonly now: string;
  /** The user's time zone. */
  readonly zone?: string;
  readonly tools: readonly ToolLine[];
  /** The phase its turn is in while the model reads the prompt. */
  readonly phase?: string;
  /** How many more calls, of all tools together, this turn may make. */
  readonly callsLeft?: number;
  /** What whoever asked for the turn gave with it, such as a tenant or a plan: `runTurn({ context })`. */
  readonly context?: unknown;
  /** The section was read before in this turn, and its standing text has changed since. */
  readonly again?: true;
  /** By section name. Amendable sections that are not in it have their original text. */
  readonly standing: Readonly<Record<string, Standing>>;
};

/**
 * A function that is called each turn for a section's text. If it throws, the section is unavailable; a Problem is
 * passed on to the caller.
 */
export type Source = (turn: SourceContext) => Reading | Promise<Reading>;

/** What was read for each section, by section name: the result of `gather`, and the input of `assemble`. */
export type Readings = Readonly<Record<string, Reading>>;
