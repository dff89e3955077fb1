import type { Notice } from "./notice.ts";
import type { Reading } from "./reading.ts";

/** The words an amendable section has now, and how many amendments led to them; or why nobody could look. */
export type Standing =
  | { readonly text: string; readonly revision: number; readonly notices?: readonly Notice[] }
  | { readonly unavailable: string };

/** What a tool lends the prompt while it is active. `left`: the calls that remain this turn. */
export type ToolLine = {
  readonly name: string;
  readonly summary?: string;
  readonly guidelines?: readonly string[];
  readonly left?: number;
};

/** What every source is told of the turn it is read for. */
export type SourceContext = {
  readonly agent?: string;
  readonly user?: string;
  readonly channel?: string;
  /** An ISO 8601 instant. */
  readonly now: string;
  readonly zone?: string;
  readonly tools: readonly ToolLine[];
  readonly standing: Readonly<Record<string, Standing>>;
};

/**
 * A function that is read, each turn, for a section's words. One that fails is unavailable; a Problem it throws is the
 * caller's to mend and is passed on.
 */
export type Source = (turn: SourceContext) => Reading | Promise<Reading>;

export type Readings = Readonly<Record<string, Reading>>;
