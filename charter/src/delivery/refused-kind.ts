import type { AttachmentKind } from "../prompt/step-result.ts";
import { errorWords } from "./models/error-words.ts";

/** What a provider answered in place of an answer: status, body as it came, and what its package made of it. */
type ErrorAnswer = {
  readonly status?: number | undefined;
  readonly body?: string | undefined;
  readonly said?: unknown;
};

/** Statuses that mean something else, whatever the words: keys, money, how often. */
const otherStatuses: readonly number[] = [401, 402, 403, 429, 503, 529];

/** How providers say that a model takes no pictures, as of November 2026. */
const noPictures: readonly RegExp[] = [
  // OpenAI, and whoever repeats its words.
  /image_url is only supported by certain models/i,
  /(?:model|it) does not support (?:image|vision)/i,
  // Ollama, LM Studio, llama.cpp.
  /does not support images?\b/i,
  /missing data required for image input/i,
  /image input is not supported/i,
  // vLLM.
  /is not a multimodal model/i,
  /at most 0 image/i,
  // OpenRouter, Mistral, Google, Groq, DeepSeek.
  /no endpoints found that support image input/i,
  /image input (?:modality )?is not enabled/i,
  /does not support (?:the )?image input/i,
  /unknown variant `image_url`/i,
  /content must be a string/i,
];

const noDocuments: readonly RegExp[] = [
  /does not support (?:pdf|document|file)/i,
  /(?:pdf|document|file) input (?:modality )?is not (?:supported|enabled)/i,
  /unknown variant `file`/i,
  /invalid content type\. (?:input_)?file is only supported/i,
];

/** The kind of attachment a model refused, if that is what the provider said. */
export function refusedKindOf({ status, body, said }: ErrorAnswer): AttachmentKind | undefined {
  if (status !== undefined && otherStatuses.includes(status)) return undefined;
  const { texts } = errorWords([body, said]);
  if (texts.some((text) => noPictures.some((wording) => wording.test(text)))) return "image";
  return texts.some((text) => noDocuments.some((wording) => wording.test(text))) ? "pdf" : undefined;
}
