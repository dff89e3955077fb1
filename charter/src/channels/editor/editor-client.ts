import type { ApproveAnswer } from "../../agent/turn-interface.ts";
import type { FileAccess } from "../../agent/workspace/files.ts";
import type { PermissionQuestion } from "./permission.ts";
import type { SessionUpdate } from "./session-update.ts";

/** The client at the other end, in whichever version of the protocol it speaks. */
export type EditorClient = {
  /** As it names itself. */
  readonly name: string;
  readonly update: (session: string, update: SessionUpdate) => Promise<void>;
  /** Asks the person there; nothing where they gave no answer. */
  readonly ask: (session: string, question: PermissionQuestion, signal: AbortSignal) => Promise<ApproveAnswer>;
  /** Files as the editor has them open, where it offers that. */
  readonly files?: (session: () => string) => FileAccess | undefined;
};
