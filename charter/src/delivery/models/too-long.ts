import { errorWords } from "./error-words.ts";

/** What a provider answered in place of an answer: status, body as it came, and what its package made of it. */
type ErrorAnswer = {
  readonly status?: number | undefined;
  readonly body?: string | undefined;
  readonly said?: unknown;
};

/** Statuses that mean something else, whatever the words: keys, money, a name, how often. */
const otherStatuses: readonly number[] = [401, 402, 403, 404, 429, 503, 529];

/** A limit on how much may be asked in a minute or a day. It names tokens too, and is no window. */
const isRateLimit = /tokens? per (?:minute|min|hour|day)|\((?:TPM|TPD|ITPM)\)|rate[ _]?limit/i;

const codes: readonly string[] = ["context_length_exceeded", "exceed_context_size_error", "request_too_large"];

/**
 * How providers say that a request has too many tokens, as of November 2026. `window` is the most they take, `output`
 * what of it was to be left for the answer, `input` the most that is left then.
 */
const wordings: readonly RegExp[] = [
  // OpenAI, DeepSeek, vLLM, OpenRouter, Together, llama-cpp-python, and whoever speaks like them.
  /maximum context length is (?<window>[\d,]+) tokens and your request has [\d,]+ input tokens \((?<output>[\d,]+) > /i,
  /maximum context length is (?<window>[\d,]+)(?: tokens)?(?:.{0,120}?(?<output>[\d,]+) (?:in|for) the (?:completion|output))?/is,
  /context length is only (?<window>[\d,]+) tokens(?:, resulting in a maximum input length of (?<input>[\d,]+) tokens)?/i,
  /input exceeds the context window of this model/i,
  /reduce the length of the messages(?: or completion)?(?:\. Current length is [\d,]+ while limit is (?<window>[\d,]+))?/i,
  // Anthropic.
  /prompt is too long(?:: [\d,]+ tokens > (?<window>[\d,]+) maximum)?/i,
  /input length and `max_tokens` exceed context limit: [\d,]+ \+ (?<output>[\d,]+) > (?<window>[\d,]+)/i,
  // Google.
  /input token count(?: \([\d,]+\))? exceeds the maximum number of tokens allowed(?: \((?<window>[\d,]+)\))?/i,
  // llama.cpp, also behind Ollama; LM Studio.
  /exceeds? the available context size(?: \((?<window>[\d,]+) tokens\))?/i,
  /n_keep:? \(?[\d,]+\)? ?>= n_ctx:? \(?(?<window>[\d,]+)\)?/i,
  /tokens to keep from the initial prompt is greater than the context length/i,
  /loaded with context length of only (?<window>[\d,]+) tokens/i,
  /exceed context window of (?<window>[\d,]+)/i,
  /exceeds? (?:the )?(?:model's )?max(?:imum)? context length/i,
  // xAI, Mistral, Moonshot, GitHub, MiniMax, Bedrock, Hugging Face.
  /maximum prompt length is (?<window>[\d,]+)/i,
  /too large for model with (?<window>[\d,]+) maximum context length/i,
  /exceeded model token limit:? (?<window>[\d,]+)/i,
  /prompt token count of [\d,]+ exceeds the limit of (?<window>[\d,]+)/i,
  /context window exceeds limit/i,
  /input is too long for (?:the )?requested model/i,
  /`inputs` tokens \+ `max_new_tokens` must be <= (?<window>[\d,]+)\. Given: [\d,]+ `inputs` tokens and (?<output>[\d,]+) `max_new_tokens`/i,
  /`inputs` must have less than (?<window>[\d,]+) tokens/i,
];

/** Says whether a refusal means that the request has too many tokens, and the most it may have if that is said. */
export function tooLongOf({ status, body, said }: ErrorAnswer): { readonly window?: number } | undefined {
  if (status !== undefined && otherStatuses.includes(status)) return undefined;
  const found = errorWords([said, body]);
  const words = found.texts.join("\n");
  if (isRateLimit.test(words) || found.codes.some((code) => isRateLimit.test(code))) return undefined;
  const matches = wordings.map((wording) => wording.exec(words)).filter((match) => match !== null);
  const named = matches.map(({ groups }) => mostOf(groups ?? {})).find((most) => most !== undefined);
  // What is to be left for the answer leaves nothing: a shorter request would be refused as well.
  if (named !== undefined && named <= 0) return undefined;
  const window = found.window ?? named;
  const isSaid = matches.length > 0 || found.codes.some((code) => codes.includes(code));
  if (!isSaid && status !== 413) return undefined;
  return window === undefined ? {} : { window };
}

function mostOf({ window, output, input }: Readonly<Record<string, string | undefined>>): number | undefined {
  const [whole, left, most] = [window, output, input].map((one) => Number(one?.replaceAll(",", "")));
  if (most) return most;
  return whole ? whole - (left || 0) : undefined;
}
