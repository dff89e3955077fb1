import type { ToolOutput } from "../tool.ts";

/** What a tool's `toModelOutput` may say. */
type ModelOutput =
  | { readonly type: "text" | "error-text"; readonly value: string }
  | { readonly type: "json" | "error-json"; readonly value: unknown }
  | { readonly type: "content"; readonly value: readonly { readonly type: string; readonly text?: string }[] }
  | { readonly type: "execution-denied"; readonly reason?: string };

/** A tool may give several results, one after the other: the last one counts. */
export async function finalOutput(given: unknown): Promise<unknown> {
  if (!isAsyncIterable(given)) return given;
  let last: unknown;
  for await (const one of given) last = one;
  return last;
}

function isAsyncIterable(given: unknown): given is AsyncIterable<unknown> {
  return typeof (Object(given) as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === "function";
}

type Converting = { readonly toModelOutput?: ((about: never) => unknown) | undefined };
type CallFacts = { readonly call: string; readonly input: unknown };

/** A result as the model is told it. A value is JSON, whatever fields it has: none of them is a word to us. */
export async function shownOutput(tool: Converting, { call, input }: CallFacts, output: unknown): Promise<ToolOutput> {
  if (typeof tool.toModelOutput !== "function") return inWords(output);
  const toModelOutput = tool.toModelOutput as (about: object) => unknown;
  return toldOutput((await toModelOutput.call(tool, { toolCallId: call, input, output })) as ModelOutput);
}

function toldOutput(output: ModelOutput): ToolOutput {
  switch (output?.type) {
    case "text":
    case "json":
      return inWords(output.value);
    case "error-text":
    case "error-json":
      return { text: inWords(output.value), failed: true };
    case "execution-denied":
      return { text: `Not run: it was denied.${output.reason === undefined ? "" : ` ${output.reason}`}`, failed: true };
    case "content":
      return contentText(output.value);
    default:
      throw new Error("its toModelOutput gave nothing that is known here.");
  }
}

function contentText(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  const texts = parts.flatMap(({ type, text }) => (type === "text" && text !== undefined ? [text] : []));
  const others = parts.filter(({ type }) => type !== "text").map(({ type }) => type);
  const told = others.length === 0 ? [] : [`(left out, since only text can be given: ${others.join(", ")})`];
  return [...texts, ...told].join("\n");
}

function inWords(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "null");
}
