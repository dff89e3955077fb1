import type { Message, ModelRequest } from "../delivery/model.ts";
import { failure } from "./expectation.ts";

/** The words of a request's system role, as one text. */
export function systemTextOf(request: ModelRequest | undefined): string {
  return sentRequest(request)
    .system.map(({ text }) => text)
    .join("");
}

/** A request's messages in short, one line each: `user: Hello.`, `assistant: weather {"city":"Rome"}`, `tool: It rains.`. */
export function transcriptOf(request: ModelRequest | undefined): string[] {
  return sentRequest(request).messages.map(lineOf);
}

/** The request, where there is one: `model.requests[1]` is none when the model was asked once. */
export function sentRequest(request: ModelRequest | undefined): ModelRequest {
  if (request === undefined)
    throw failure("There is no such request: the model was not asked that often.", sentRequest);
  if (Array.isArray(request?.system) && Array.isArray(request.messages)) return request;
  throw failure("expectRequest takes a request: model.requests[0], or deliver(…).request.", sentRequest);
}

function lineOf(message: Message): string {
  if (message.role === "tool") return `tool: ${message.results.map(({ output }) => output).join(" | ")}`;
  const called = message.role === "assistant" ? message.calls.map(({ name, input }) => `${name} ${input}`) : [];
  return `${message.role}: ${[message.text, ...called].filter((text) => text !== "").join(" | ")}`;
}
