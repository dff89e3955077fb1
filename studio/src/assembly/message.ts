import type { AuthoredSpan } from "charter";
import type { ErrorBody } from "charter/answers";
import type { Assembled, Range, Spans, Wanted } from "./assembled.ts";
import type { Columns } from "./columns.ts";

/** What the page asks its worker. What was gathered before this generation is gathered anew. */
export type Question =
  | { readonly kind: "assemble"; readonly wanted: Wanted; readonly generation: number }
  | { readonly kind: "range"; readonly wanted: Wanted; readonly generation: number }
  | { readonly kind: "spans"; readonly serial: number; readonly start: number; readonly end: number }
  | { readonly kind: "blame"; readonly told: ToldHistory };

/** The words it all began with, as far as it is told, and what became of them, oldest first. */
export type ToldHistory = {
  readonly original: { readonly text: string; readonly revision: number };
  readonly amendments: readonly { readonly revision: number; readonly after: string }[];
};

/** A prompt on its way to the page. */
export type Packed = Omit<Assembled, "sections" | "cuts" | "omitted"> & {
  readonly sections: Columns;
  readonly cuts: Columns;
  readonly omitted: Columns;
};

/** What it is answered, by what was asked. */
export type Answers = {
  readonly assemble: Packed;
  /** Nothing, where no limit fits. */
  readonly range: Range | undefined;
  /** Nothing, where that prompt is no longer kept. */
  readonly spans: Spans | undefined;
  readonly blame: readonly AuthoredSpan[];
};

export type Asked = { readonly id: number; readonly question: Question };

export type Told =
  | { readonly id: number; readonly answer: Answers[keyof Answers] }
  | { readonly id: number; readonly status: number; readonly error: ErrorBody["error"] };
