import { badArgument, isObject, isRecord, isText, kindOf } from "../prompt/argument.ts";
import type { Message, ToolOffer } from "./model.ts";

/** A history comes again with every request: each message is looked at once. */
const sound = new WeakSet<Message>();

/** A message of another library looks alike, and has its words elsewhere: the first one that does not fit is named. */
export function checkMessages(field: string, messages: readonly Message[]): void {
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as Message;
    if (sound.has(message)) continue;
    const wrong = faultOf(message);
    if (wrong === undefined) {
      sound.add(message);
      continue;
    }
    const [is, wanted] = wrong;
    throw badArgument(`Message ${index + 1} of the \`${field}\` that deliver was given ${is}.`, `Give ${wanted}.`);
  }
}

function faultOf(message: Message): readonly [is: string, wanted: string] | undefined {
  if (!isObject(message)) return [`is ${kindOf(message)}`, '{ role: "user", text }'];
  const { role } = message;
  const lacks = `does not have what one of the role “${role}” has`;
  if (role === "tool")
    return areAll(message.results, ["call", "name", "output"])
      ? undefined
      : [lacks, "{ role, results: [{ call, name, output }] }, all of them texts"];
  if (role === "assistant")
    return isText(message.text) && areAll(message.calls, ["id", "name", "input"])
      ? undefined
      : [lacks, "{ role, text, calls: [{ id, name, input }] }, all of them texts; [] for no calls"];
  if (role === "user" || role === "system") return isText(message.text) ? undefined : [lacks, "{ role, text }"];
  return [`has a role that is ${kindOf(role)}`, "system, user, assistant or tool"];
}

function areAll(list: unknown, texts: readonly string[]): boolean {
  return Array.isArray(list) && list.every((one) => isRecord(one) && texts.every((field) => isText(one[field])));
}

/** A tool is no offer yet: its schema is of another library, and no provider would take it. */
export function checkOffers(offers: readonly ToolOffer[]): void {
  const wrong = offers.findIndex(
    (offer) => !isRecord(offer) || !isText(offer.name) || "run" in offer || "execute" in offer,
  );
  if (wrong === -1) return;
  const { name } = Object(offers[wrong]) as { readonly name?: unknown };
  throw badArgument(
    `Offer ${wrong + 1} of the \`offers\` that deliver was given${isText(name) ? ` (“${name}”)` : ""} is no offer.`,
    "Give await offersOf(tools) of charter/agent: [{ name, description, input }].",
  );
}
