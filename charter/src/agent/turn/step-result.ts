import type { Answer, Fault, ModelRequest, OwnToolUse, SentBody, ToolResult, Usage } from "../../delivery/model.ts";
import type { Notice } from "../../prompt/notice.ts";

/** What a second opinion cost, in dollars; null where the model's price is not known. And how it was asked for. */
export type OpinionBill = {
  readonly model: string;
  readonly usage: Usage;
  readonly cost: number | null;
  readonly request?: ModelRequest;
  readonly sent?: SentBody;
};

/** A result as it is kept: with the whole of it, if it was shortened for the model. */
export type KeptResult = ToolResult & { readonly whole?: { readonly text: string; readonly foreign?: true } };

/** What came of a step, as it is kept: the intents before a tool runs, the results after, what it was billed. */
export type StepResult = {
  /** The user's message as the model was given it, in a turn's first step. */
  readonly input?: string;
  /** Calls a person had approved were made before it; the input tells of them. */
  readonly acted?: true;
  readonly faults?: readonly Fault[];
  readonly answer?: Pick<Answer, "text" | "calls" | "native">;
  /** What had been written of an answer that was never finished. */
  readonly partial?: string;
  readonly finish?: Answer["finish"];
  readonly usage?: Answer["usage"];
  readonly results?: readonly KeptResult[];
  /** Tools of its own that the receiver used while it answered. */
  readonly ownTools?: readonly Omit<OwnToolUse, "foreign">[];
  /** What the model was told was wrong with its answer, where that was not what it had to be. */
  readonly correction?: string;
  readonly summary?: string;
  /** The body of its request as it went out, if the model said so. */
  readonly sent?: SentBody;
  /** Second opinions that were asked for while its tools ran. */
  readonly opinions?: readonly OpinionBill[];
  /** Why the turn ended with it, where it did without an answer. */
  readonly because?: { readonly code: string; readonly message: string };
  readonly notices?: readonly Notice[];
};
