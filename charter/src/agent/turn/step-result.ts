import type { ModelRequest, SentBody, Usage } from "../../delivery/model.ts";
import type { StepResult as RecordedResult } from "../../prompt/step-result.ts";

/** What a second opinion cost, in dollars; null where the model's price is not known. And how it was asked for. */
export type OpinionBill = {
  readonly model: string;
  readonly usage: Usage;
  readonly cost: number | null;
  readonly request?: ModelRequest;
  readonly sent?: SentBody;
};

/** A result as it is kept: with the whole of it, if it was shortened for the model. */
export type KeptResult = NonNullable<RecordedResult["results"]>[number];

/** What is recorded of a step, with what is known here of requests: how it was sent, and how opinions were asked for. */
export type StepResult = Omit<RecordedResult, "sent" | "opinions"> & {
  readonly sent?: SentBody;
  readonly opinions?: readonly OpinionBill[];
};
