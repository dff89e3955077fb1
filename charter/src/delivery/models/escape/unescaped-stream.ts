import type { LanguageModelV4Content, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { changeJson, createUnescaper, unescapeTokens } from "./wire-token.ts";

type Part = LanguageModelV4StreamPart;

/**
 * A provider's stream, in which what was escaped on the way there is turned back: its words, and the arguments of its calls.
 * Its thoughts are for itself alone, and stay as they are.
 */
export function unescapedStream(stream: ReadableStream<Part>): ReadableStream<Part> {
  const open = new Map<string, ReturnType<typeof createUnescaper>>();
  const end = (id: string, controller: TransformStreamDefaultController<Part>) => {
    const delta = open.get(id)?.end() ?? "";
    open.delete(id);
    if (delta !== "") controller.enqueue({ type: "text-delta", id, delta });
  };
  return stream.pipeThrough(
    new TransformStream<Part, Part>({
      transform(part, controller) {
        if (part.type === "text-delta") {
          const words = open.get(part.id) ?? createUnescaper();
          open.set(part.id, words);
          controller.enqueue({ ...part, delta: words.add(part.delta) });
          return;
        }
        if (part.type === "text-end") end(part.id, controller);
        if (part.type === "finish") for (const id of [...open.keys()]) end(id, controller);
        controller.enqueue(unescapedPart(part));
      },
    }),
  );
}

/** The same of a part that came whole: text, or a call. */
export function unescapedPart<One extends Part | LanguageModelV4Content>(part: One): One {
  if (part.type === "text") return { ...part, text: unescapeTokens(part.text) };
  return part.type === "tool-call" ? { ...part, input: changeJson(part.input, unescapeTokens) } : part;
}
