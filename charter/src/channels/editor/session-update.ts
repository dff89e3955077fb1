import type { CallView } from "./call-view.ts";

/** Something an editor shows of a session, in no version of the protocol yet. */
export type SessionUpdate =
  /** Words of the user, or a piece of the agent's. Pieces with the same `message` belong together. */
  | { readonly kind: "asked" | "answer"; readonly message: string; readonly text: string }
  /** What was written under this `message` is none of the answer. */
  | { readonly kind: "answer-dropped"; readonly message: string; readonly reason: string }
  /** Something to know that is no part of the answer. */
  | { readonly kind: "notice"; readonly title: string; readonly text: string }
  | { readonly kind: "call"; readonly call: CallView }
  | { readonly kind: "result"; readonly call: CallView; readonly output: string; readonly failed: boolean };
