import { type Json, listOf, opensWithMark, type SpokenText, type StrictCheck, type StrictFault } from "./request.ts";

/** What Gemini's generateContent documents: contents that open with the user, function calls that are answered, thought signatures. */
export type GeminiBody = { readonly systemInstruction?: unknown; readonly contents: readonly Json[] };

/** The thought signatures that the server gave out. */
type GeminiMemory = { readonly signatures: ReadonlySet<string> };

function fault(check: StrictCheck, at: string, message: string): StrictFault {
  const body = { error: { code: 400, message, status: "INVALID_ARGUMENT" } };
  return { check, at, message, status: 400, body };
}

/** Returns what Gemini has against a request; undefined if it answers. */
export function checkGemini({ contents }: GeminiBody, memory: GeminiMemory): StrictFault | undefined {
  for (const [index, content] of contents.entries()) {
    const at = `contents[${index}]`;
    const isFirst = index === 0;
    const before = contents[index - 1];
    if (isFirst ? content.role !== "user" : content.role === "model" && before?.role === "model")
      return fault("order", at, "Please ensure that multiturn requests alternate between user and model.");
    if (listOf(content.parts).length === 0)
      return fault("empty-text", at, `* GenerateContentRequest.${at}.parts: contents.parts must not be empty.`);
    const wrong = checkResponses(content, before, contents[index + 1]);
    if (wrong) return fault("results", at, wrong);
  }
  if (contents.at(-1)?.role !== "user")
    return fault(
      "order",
      `contents[${contents.length - 1}]`,
      "Please ensure that single turn requests end with a user role.",
    );
  return checkSignatures(contents, memory);
}

function namesOf(content: Json | undefined, field: "functionCall" | "functionResponse"): unknown[] {
  return listOf(content?.parts).flatMap((part) => (part[field] ? [Object(part[field]).name] : []));
}

function checkResponses(content: Json, before: Json | undefined, after: Json | undefined): string | undefined {
  const unequal =
    "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
  const calls = namesOf(content, "functionCall");
  if (calls.length > 0 && namesOf(after, "functionResponse").join() !== calls.join()) return unequal;
  const responses = namesOf(content, "functionResponse");
  return responses.length > 0 && namesOf(before, "functionCall").length === 0
    ? "Please ensure that function response turn comes immediately after a function call turn."
    : undefined;
}

/** What may stand in place of a signature that was never given out, as Google documents it. */
const dummies: readonly unknown[] = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

/** Checks that calls of the running turn came back with the signature of the first of them, and that no signature is made up. */
function checkSignatures(contents: readonly Json[], { signatures }: GeminiMemory): StrictFault | undefined {
  const turn = contents.findLastIndex(
    (content) => content.role === "user" && namesOf(content, "functionResponse").length === 0,
  );
  for (const [index, content] of contents.entries()) {
    const parts = listOf(content.parts);
    const first = parts.findIndex(({ functionCall }) => functionCall);
    for (const [place, { thoughtSignature }] of parts.entries()) {
      const at = `contents[${index}].parts[${place}]`;
      const known = dummies.includes(thoughtSignature) || signatures.has(String(thoughtSignature));
      if (thoughtSignature !== undefined && !known) return fault("reasoning", at, "Corrupted thought signature.");
      if (thoughtSignature === undefined && place === first && index > turn)
        return fault(
          "reasoning",
          at,
          "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance.",
        );
    }
  }
  return undefined;
}

/** Lists the texts that speak for the system: in its field, and after the mark of a session. */
export function systemTextsOfGemini({ systemInstruction, contents }: GeminiBody): readonly SpokenText[] {
  const text = (part: Json) => String(part.text ?? "");
  return [
    ...listOf(Object(systemInstruction).parts).map((part) => ({ at: "systemInstruction", text: text(part) })),
    ...contents.flatMap(({ parts }, index) =>
      listOf(parts)
        .filter((part) => opensWithMark(text(part)))
        .map((part) => ({ at: `contents[${index}]`, text: text(part) })),
    ),
  ];
}
