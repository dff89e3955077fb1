import type { CallView } from "./call-view.ts";

/** Something a person at the editor is asked before it is done. */
export type PermissionQuestion = {
  readonly title: string;
  /** What there is to know before one answers. */
  readonly text: string;
  /** The call it is about; a question about none is shown as one of its own. */
  readonly call: CallView;
};

/** Both hold for this once: what is always allowed, or never, is for the charter and `charter trust` to say. */
export const permissionOptions = [
  { optionId: "allow", name: "Allow once", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
] as const;

/** Yes, no, or nothing where nobody answered. What is no option of ours is no yes. */
export function permissionAnswer(outcome: unknown): boolean | undefined {
  const { outcome: kind, optionId } = Object(outcome) as { outcome?: unknown; optionId?: unknown };
  if (kind !== "selected") return undefined;
  return optionId === "allow";
}
