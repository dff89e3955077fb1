import type { Message, ModelRequest } from "../delivery/model.ts";
import { preview } from "../prompt/character.ts";
import { type Check, formsOf, nearestLine, textFault } from "../prompt/expectation.ts";
import { listed } from "../prompt/problem.ts";
import { expectationOf, failure } from "./expect-prompt.ts";

/** Expectations of a test about a request to a model: its system text and its messages. Each method throws, or can be chained. */
export type RequestExpectation = {
  /** Expects the text in the request: in its system text, a message, a tool call or a tool result. */
  readonly has: (text: string) => RequestExpectation;
  /** Expects the text nowhere in it. */
  readonly hasNot: (text: string) => RequestExpectation;
  /** Expects both texts in it, every occurrence of the first before any of the second. */
  readonly before: (first: string, second: string) => RequestExpectation;
  /** Expects that the model may call these tools. */
  readonly offers: (...tools: string[]) => RequestExpectation;
  /** Expects that the model may call none of these tools. */
  readonly offersNot: (...tools: string[]) => RequestExpectation;
};

/** States what a test expects of a request to a model: `expectRequest(model.requests[0]).has("Be kind.").offers("weather")`. */
export function expectRequest(request: ModelRequest | undefined): RequestExpectation {
  const sent = sentRequest(request);
  const texts = textsOf(sent);
  return expectationOf<RequestExpectation>({
    has: (text) => checkHas(texts, text),
    hasNot: (text) => checkHasNot(texts, text),
    before: (first, second) => checkBefore(texts, first, second),
    offers: (...tools) => checkOffers(sent, tools, true),
    offersNot: (...tools) => checkOffers(sent, tools, false),
  });
}

/** A text of a request, and its place. */
type SentText = { readonly place: string; readonly text: string };

function textsOf(request: ModelRequest): SentText[] {
  return [
    { place: "the system text", text: systemTextOf(request) },
    ...request.messages.flatMap((message, index) =>
      messageTexts(message).map((text) => ({ place: `message ${index + 1} (${message.role})`, text })),
    ),
  ];
}

function messageTexts(message: Message): string[] {
  if (message.role === "tool") return message.results.map(({ output }) => output);
  if (message.role !== "assistant") return [message.text];
  return [message.text, ...message.calls.map(({ name, input }) => `${name} ${input}`)];
}

type TextPlace = { readonly sent: SentText; readonly index: number; readonly start: number; readonly end: number };

function placesOf(texts: readonly SentText[], text: string): TextPlace[] {
  return texts.flatMap((sent, index) =>
    formsOf(text)
      .flatMap((form) => {
        const places: TextPlace[] = [];
        for (let start = sent.text.indexOf(form); start !== -1; start = sent.text.indexOf(form, start + 1))
          places.push({ sent, index, start, end: start + form.length });
        return places;
      })
      .sort((one, other) => one.start - other.start),
  );
}

function placeWords({ sent: { place, text }, start }: TextPlace): string {
  const end = text.indexOf("\n", start);
  const line = text.slice(text.lastIndexOf("\n", start - 1) + 1, end === -1 ? undefined : end);
  return `in ${place}: “${preview(line, 120)}”`;
}

function checkHas(texts: readonly SentText[], text: string): Check {
  const fault = textFault(text);
  if (fault !== undefined) return fault;
  if (placesOf(texts, text).length > 0) return;
  const nearest = nearestLine(texts.map((sent) => sent.text).join("\n"), text);
  return [
    `The request does not have “${preview(text, 200)}”.`,
    ...(nearest === undefined ? [] : [`The nearest line is “${preview(nearest, 200)}”.`]),
    `It is made of ${[...new Set(texts.map(({ place }) => place))].join(", ")}.`,
  ].join("\n");
}

function checkHasNot(texts: readonly SentText[], text: string): Check {
  const fault = textFault(text);
  if (fault !== undefined) return fault;
  const [place] = placesOf(texts, text);
  return place && `The request has “${preview(text, 200)}” ${placeWords(place)}.`;
}

function checkBefore(texts: readonly SentText[], first: string, second: string): Check {
  const missing = checkHas(texts, first) ?? checkHas(texts, second);
  const last = placesOf(texts, first).at(-1);
  const next = placesOf(texts, second)[0];
  if (missing !== undefined || !last || !next) return missing;
  if (last.index < next.index || (last.index === next.index && last.end <= next.start)) return;
  return [
    `“${preview(first, 200)}” does not come before “${preview(second, 200)}”:`,
    `the first is ${placeWords(last)},`,
    `the second ${placeWords(next)}.`,
  ].join("\n");
}

function checkOffers({ tools }: ModelRequest, names: readonly string[], wanted: boolean): Check {
  if (names.length === 0) return "Say which tools.";
  const offered = tools.map(({ name }) => name);
  const wrong = names.filter((name) => offered.includes(name) !== wanted);
  if (wrong.length === 0) return;
  return `The request ${wanted ? "does not offer" : "offers"} ${listed(wrong)}. The tools it offers: ${listed(offered)}.`;
}

/** Joins the words of a request's system role into one text. */
export function systemTextOf(request: ModelRequest | undefined): string {
  return sentRequest(request)
    .system.map(({ text }) => text)
    .join("");
}

/**
 * Lists a request's messages in short, one line each: `user: Hello.`, `assistant: weather {"city":"Rome"}`, `tool: It rains.`.
 */
export function transcriptOf(request: ModelRequest | undefined): string[] {
  return sentRequest(request).messages.map(lineOf);
}

/** Returns the request, or fails where there is none: `model.requests[1]` does not exist when the model was asked once. */
function sentRequest(request: ModelRequest | undefined): ModelRequest {
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
