import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { faultFrom } from "../../delivery/converters/sdk-call.ts";
import type { Answer, Fault, ModelRequest } from "../../delivery/model.ts";
import {
  contentParts,
  countsOf,
  createParts,
  type FinishPart,
  finishOf,
  partsAnswer,
} from "../../delivery/models/answer.ts";
import { escapedRequest } from "../../delivery/models/escape.ts";
import { brokenFault } from "../../delivery/models/language.ts";
import type { LanguageModel } from "../../delivery/models/model-entry.ts";
import { callOptions, dialectOf, mergedOptions, unescapedPart, unescapedStream } from "../../delivery/models/wire.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import { badArgument } from "../../prompt/argument.ts";
import { listed } from "../../prompt/problem.ts";
import type { OpenTurn, TurnRequest, TurnStop } from "../turn/open-turn.ts";
import type { AiCalls } from "./sdk-calls.ts";

type SeatOptions = {
  readonly turn: OpenTurn;
  readonly calls: AiCalls;
  /** The models of the AI SDK, by the names of their receivers. */
  readonly languages: ReadonlyMap<string, LanguageModel>;
  /** Stops the turn before it has an answer. */
  readonly stop: (why: TurnStop) => Promise<unknown>;
};

/** A request as it is sent to a model, and the model that answers it. */
type AskedModel = {
  readonly language: LanguageModelV4;
  readonly options: LanguageModelV4CallOptions;
  readonly receiver: Receiver;
  readonly request: ModelRequest;
};

/**
 * Makes the model's place in a loop of the AI SDK: to the SDK one model, which asks for each step what the turn says. The SDK
 * reports a step only after its tools have run, but an answer has to be recorded before they do; so it is read here as it
 * arrives, and tools wait for it. Here, too, the same model is asked again, or the next one, before the SDK learns of a fault.
 */
export function createSeat({ turn, calls, languages, stop }: SeatOptions) {
  const [first] = languages.values() as Iterable<LanguageModel> as [LanguageModel];
  let draft = "";

  /** Returns the step's request, the same however often it is asked for. Calls that the SDK did not run are recorded as such. */
  const next = async (steering: readonly string[] = []): Promise<TurnRequest> => {
    await calls.settle();
    for (const words of steering) await turn.steer(words);
    return turn.next();
  };
  const ask = async (given: LanguageModelV4CallOptions): Promise<AskedModel> => {
    const { request, receiver } = await next();
    calls.expect();
    draft = "";
    const language = languages.get(receiver.name) as unknown as LanguageModelV4;
    const sent = receiver.guardsTokens ? request : escapedRequest(request);
    const own = callOptions(sent, receiver, dialectOf(language as LanguageModel, receiver));
    checkGiven(given, request, calls.names);
    const abortSignal = given.abortSignal ? AbortSignal.any([given.abortSignal, turn.signal]) : turn.signal;
    return { language, request, receiver, options: { ...mergeCallOptions(given, own), abortSignal } };
  };
  /** Reports a fault; throws where no other model can be asked. */
  const failed = async (error: unknown, { options }: AskedModel, fault: Fault): Promise<void> => {
    if (options.abortSignal?.aborted) throw error ?? options.abortSignal.reason;
    calls.drop(error);
    await turn.failed(fault, { partial: draft });
  };
  /** Records an answer. False: it was none, or not in the wanted form, and the model is to be asked again. */
  const answered = async (answer: Answer): Promise<boolean> => {
    const { calls: answerCalls, done } = await turn.answered(answer);
    if (done) await turn.end();
    if (done || answerCalls.length > 0) calls.answered(answerCalls);
    else calls.drop(new Error("The answer was not taken."));
    return done || answerCalls.length > 0;
  };
  /** Stops the turn when anything stops a step. */
  const stopping = async <Value>(given: AbortSignal | undefined, work: Promise<Value>): Promise<Value> => {
    try {
      return await work;
    } catch (error) {
      calls.drop(error);
      await stop(given?.aborted || turn.signal.aborted ? { aborted: true } : { problem: error });
      throw error;
    }
  };

  const generate = async (given: LanguageModelV4CallOptions) => {
    for (;;) {
      const asked = await ask(given);
      const { language, options, receiver } = asked;
      const result = await Promise.resolve(language.doGenerate(options)).catch((error: unknown) => ({ error }));
      if ("error" in result) {
        await failed(result.error, asked, faultFrom(result.error, receiver));
        continue;
      }
      const content = receiver.guardsTokens ? result.content : result.content.map(unescapedPart);
      const finish = finishOf(result as FinishPart);
      if (!finish) {
        await failed(undefined, asked, brokenFault({ error: undefined, began: content.length > 0 }, receiver.name));
        continue;
      }
      const end = { finish, ...countsOf(result as FinishPart) };
      if (await answered(partsAnswer(contentParts(content), receiver.name, end))) return { ...result, content };
    }
  };

  /**
   * Streams the parts of the step's answer. An answer that says nothing, or is withdrawn, is never shown. One that breaks off
   * later ends with an error: the SDK closes what was shown of it, and asks again (`streamRetries`).
   */
  async function* parts(given: LanguageModelV4CallOptions, opened: (result: object) => void) {
    for (;;) {
      const asked = await ask(given);
      const { language, options, receiver, request } = asked;
      const result = await Promise.resolve(language.doStream(options)).catch((error: unknown) => ({ error }));
      if ("error" in result) {
        await failed(result.error, asked, faultFrom(result.error, receiver));
        continue;
      }
      opened(result);
      const read = createParts((text) => (draft += text));
      const held: LanguageModelV4StreamPart[] = [];
      let finish: Extract<LanguageModelV4StreamPart, { type: "finish" }> | undefined;
      let broken: { readonly error: unknown } | undefined;
      const stream = receiver.guardsTokens ? result.stream : unescapedStream(result.stream);
      try {
        for await (const part of stream) {
          if (part.type === "error") broken ??= { error: part.error };
          else if (part.type === "finish") finish = broken ? finish : part;
          else {
            read.add(part);
            held.push(part);
            // A typed answer may be refused and asked for again, so it is shown only when it is accepted.
            if (read.began() && !request.output) yield* held.splice(0);
          }
        }
      } catch (error) {
        broken ??= { error };
      }
      const reason = finish && finishOf(finish as FinishPart);
      if (!finish || !reason) {
        const fault = brokenFault({ error: broken?.error, began: read.began() }, receiver.name);
        await failed(broken?.error, asked, fault);
        if (!read.began() || request.output) continue;
        yield { type: "error", error: broken?.error ?? new Error(fault.message) } as const;
        return;
      }
      const answer = partsAnswer(read.content(), receiver.name, {
        finish: reason,
        ...countsOf(finish as FinishPart),
      });
      if (!(await answered(answer))) continue;
      yield* held;
      yield finish;
      return;
    }
  }

  const model = {
    specificationVersion: first.specificationVersion,
    provider: first.provider,
    modelId: first.modelId,
    supportedUrls: (first as unknown as LanguageModelV4).supportedUrls,
    doGenerate: (given: LanguageModelV4CallOptions) => stopping(given.abortSignal, generate(given)),
    doStream: async (given: LanguageModelV4CallOptions) => {
      let opened = {};
      const answer = parts(given, (result) => {
        opened = result;
      });
      const first = await stopping(given.abortSignal, answer.next());
      const read = () => stopping(given.abortSignal, answer.next());
      return { ...opened, stream: streamOf(first, { read, left: () => stop({ aborted: true }) }) };
    },
  };
  return { model: model as unknown as LanguageModel, next, stopping, draft: () => draft };
}

type PartResult = IteratorResult<LanguageModelV4StreamPart, void>;

type Reading = { readonly read: () => Promise<PartResult>; readonly left: () => Promise<unknown> };

/** Makes a stream that is read to its end even if nobody reads it: the answer is recorded even if its reader left. */
function streamOf(first: PartResult, { read, left }: Reading): ReadableStream<LanguageModelV4StreamPart> {
  let isLeft = false;
  return new ReadableStream({
    start: (controller) => {
      const readAll = async () => {
        for (let one = first; !one.done; one = await read()) {
          if (!isLeft) controller.enqueue(one.value);
          // An error ends the stream: the SDK asks again.
          if (one.value.type === "error") break;
        }
        if (!isLeft) controller.close();
        // A reader that left neither runs the calls nor asks again.
        else await left();
      };
      readAll().catch((error: unknown) => {
        if (!isLeft) controller.error(error);
      });
    },
    cancel: () => {
      isLeft = true;
    },
  });
}

/** Merges the options given to `streamText` with the turn's own, which win. */
function mergeCallOptions(
  given: LanguageModelV4CallOptions,
  own: LanguageModelV4CallOptions,
): LanguageModelV4CallOptions {
  const { toolChoice, maxOutputTokens } = given;
  const providers = (given.tools ?? []).filter(({ type }) => type !== "function");
  const tools = [...(own.tools ?? []), ...providers];
  const choice = own.toolChoice ?? (toolChoice?.type === "auto" ? undefined : toolChoice);
  const answerTokens = Math.min(
    maxOutputTokens ?? Number.POSITIVE_INFINITY,
    own.maxOutputTokens ?? Number.POSITIVE_INFINITY,
  );
  const { tools: _tools, toolChoice: _choice, maxOutputTokens: _most, ...rest } = given;
  return {
    ...rest,
    ...own,
    ...(tools.length > 0 ? { tools } : {}),
    ...(choice ? { toolChoice: choice } : {}),
    ...(Number.isFinite(answerTokens) ? { maxOutputTokens: answerTokens } : {}),
    providerOptions: mergedOptions(given.providerOptions, own.providerOptions),
  };
}

/** Refuses options that would add to the request or take from it: what is sent must be what is recorded. */
function checkGiven(given: LanguageModelV4CallOptions, request: ModelRequest, names: ReadonlySet<string>): void {
  if (given.responseFormat?.type === "json" && !request.output)
    throw badArgument(
      "The AI SDK was given an `output` that the turn was not.",
      "Give turn({ output }) its schema, too.",
    );
  const offered = new Set((given.tools ?? []).map(({ name }) => name));
  const missing = request.tools.map(({ name }) => name).filter((name) => names.has(name) && !offered.has(name));
  if (missing.length > 0)
    throw badArgument(
      `The AI SDK was told to leave out ${listed(missing)}, which the turn offers.`,
      "Leave `activeTools` out: what is offered is what charterFor({ tools }) was given.",
    );
}
