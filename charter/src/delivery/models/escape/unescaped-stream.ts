import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
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
        const isCall = part.type === "tool-call";
        controller.enqueue(isCall ? { ...part, input: changeJson(part.input, unescapeTokens) } : part);
      },
    }),
  );
}
