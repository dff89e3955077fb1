import { badArgument, isList, isPromise, kindOf } from "../../prompt/argument.ts";
import type { ModelRequest } from "../model.ts";
import { isReceiver, type Receiver } from "../receiver.ts";
import { escapedRequest } from "./escape/escaped-request.ts";

/** What a request is given another form from: the request of a delivery, escaped where who reads it does not guard itself. */
export function checkedRequest(name: string, request: ModelRequest, receiver: Receiver): ModelRequest {
  const { system, messages, tools } = Object(request) as Partial<ModelRequest>;
  if (!isList(system) || !isList(messages) || !isList(tools))
    throw badArgument(
      `The request that ${name} was given is ${kindOf(request)}.`,
      `${isPromise(request) ? "Await it first. " : ""}Give the \`request\` of what deliver gave: ${name}(delivery.request, receiver).`,
    );
  if (!isReceiver(receiver))
    throw badArgument(
      `The receiver that ${name} was given is ${kindOf(receiver)}.`,
      'Give the one the prompt was delivered to: receiverOf("provider/model").',
    );
  return receiver.guardsTokens ? request : escapedRequest(request);
}
