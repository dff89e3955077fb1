import type { Answer, Fault, ToolResult } from "../delivery/model.ts";
import type { Notice } from "../prompt/notice.ts";

/** What came of a step, as it is kept: the intents before a tool runs, the results after, what it was billed. */
export type Came = {
  /** The user's message as the model was given it, in a turn's first step. */
  readonly input?: string;
  /** Calls a person had approved were made before it; the input tells of them. */
  readonly acted?: true;
  readonly faults?: readonly Fault[];
  readonly answer?: Pick<Answer, "text" | "calls" | "native">;
  readonly finish?: Answer["finish"];
  readonly usage?: Answer["usage"];
  readonly results?: readonly ToolResult[];
  readonly summary?: string;
  /** Why the turn ended with it, where it did without an answer. */
  readonly because?: { readonly code: string; readonly message: string };
  readonly notices?: readonly Notice[];
};
