import type { ApproveAnswer } from "../../agent/turn-input.ts";
import type { CallView } from "./call-view.ts";

/** Something a person at the editor is asked before it is done. */
export type PermissionQuestion = {
  readonly title: string;
  /** What there is to know before one answers. */
  readonly text: string;
  /** The call it is about; a question about none is shown as one of its own. */
  readonly call: CallView;
  /** The tool that may be allowed for the rest of the session. */
  readonly mayAllow?: string;
};

type PermissionOption = {
  readonly optionId: "allow" | "session" | "reject";
  readonly name: string;
  readonly kind: "allow_once" | "allow_always" | "reject_once";
};

/** What is allowed for good, or never, is for the charter and `charter trust` to say. */
export function permissionOptions({ mayAllow }: Pick<PermissionQuestion, "mayAllow">): PermissionOption[] {
  const session: PermissionOption[] =
    mayAllow === undefined
      ? []
      : [{ optionId: "session", name: `Allow ${mayAllow} in this session`, kind: "allow_always" }];
  return [
    { optionId: "allow", name: "Allow once", kind: "allow_once" },
    ...session,
    { optionId: "reject", name: "Reject", kind: "reject_once" },
  ];
}

/** What was said, or nothing where nobody answered. What was not among the options is no yes. */
export function permissionAnswer(outcome: unknown, { mayAllow }: Pick<PermissionQuestion, "mayAllow">): ApproveAnswer {
  const { outcome: kind, optionId } = Object(outcome) as { outcome?: unknown; optionId?: unknown };
  if (kind !== "selected") return undefined;
  if (optionId === "session" && mayAllow !== undefined) return "session";
  return optionId === "allow";
}
