import type { ErrorBody } from "charter/answers";
import type { Assembled, Range, Wanted } from "./assembled.ts";
import type { Columns } from "./columns.ts";

/** What the page asks its worker. What was gathered before this generation is gathered anew. */
export type Question =
  | { readonly kind: "assemble"; readonly wanted: Wanted; readonly generation: number }
  | { readonly kind: "range"; readonly wanted: Wanted; readonly generation: number };

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
};

export type Asked = { readonly id: number; readonly question: Question };

export type Told =
  | { readonly id: number; readonly answer: Answers[keyof Answers] }
  | { readonly id: number; readonly status: number; readonly error: ErrorBody["error"] };
