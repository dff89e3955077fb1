import type { HeldCall } from "../../../store/turns/held-calls.ts";
import { askedOf } from "../acting/permission-text.ts";
import { type Question, questionOf } from "./question.ts";

/** A held call as it is listed: with the question a person is asked, and what it asks for, if that has a name. */
export type ShownCall = HeldCall & { readonly asks?: string; readonly question: Question };

export function shownCall(call: HeldCall): ShownCall {
  const asks = askedOf(call);
  return { ...call, question: questionOf(call), ...(asks === undefined ? {} : { asks }) };
}
