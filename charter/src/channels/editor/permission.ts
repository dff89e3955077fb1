import type { Question } from "../../agent/held-question.ts";
import type { ApproveAnswer } from "../../agent/turn-interface.ts";
import { visible } from "../../prompt/character.ts";
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

/**
 * A question as an editor is given it. Editors read Markdown, which leaves words out (a comment, where a link leads), so
 * the details are a block of code. What a file would become is shown as a diff, unless no eye would see all of that.
 */
export function questionText({ sentence, details }: Question, { diff }: Pick<CallView, "diff">): string {
  if (details.length === 0 || (diff && visible(diff.after) === diff.after)) return sentence;
  const runs = Array.from(details.join("\n").matchAll(/`+/g), ([run]) => run.length);
  const fence = "`".repeat(Math.max(2, ...runs) + 1);
  return [sentence, "", fence, ...details, fence].join("\n");
}

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
