import { badArgument, isList, isObject, isText, kindOf } from "../prompt/argument.ts";
import type { Message } from "./model.ts";

/** A message of another library looks alike, and has its words elsewhere: the first one that does not fit is named. */
export function checkMessages(field: string, messages: readonly Message[]): void {
  for (const [index, message] of messages.entries()) {
    const wrong = faultOf(message);
    if (wrong === undefined) continue;
    const [is, wanted] = wrong;
    throw badArgument(`Message ${index + 1} of the \`${field}\` that deliver was given ${is}.`, `Give ${wanted}.`);
  }
}

function faultOf(message: Message): readonly [is: string, wanted: string] | undefined {
  if (!isObject(message)) return [`is ${kindOf(message)}`, '{ role: "user", text }'];
  const { role } = message;
  const lacks = `does not have what one of the role “${role}” has`;
  if (role === "tool")
    return isList(message.results) ? undefined : [lacks, "{ role, results: [{ call, name, output }] }"];
  if (role === "assistant")
    return isText(message.text) && isList(message.calls)
      ? undefined
      : [lacks, "{ role, text, calls }, [] for no calls"];
  if (role === "user" || role === "system") return isText(message.text) ? undefined : [lacks, "{ role, text }"];
  return [`has a role that is ${kindOf(role)}`, "system, user, assistant or tool"];
}
