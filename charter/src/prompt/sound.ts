import { oneLine, preview, visible } from "./character.ts";
import type { PlannedSection, Rendering } from "./plan.ts";
import { grouped, Problem } from "./problem.ts";
import type { Notice, Part } from "./reading.ts";
import type { Piece } from "./tokens.ts";

/** Maximum number of characters of a section. No model reads more: what a source gives beyond is cut. */
export const maxSectionChars = 2_000_000;

/** Tells whether a text can be kept and sent: half a character or a NUL cannot. */
export function isWhole(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** Mends a stranger's text: what can be neither kept nor sent becomes U+FFFD. Sound text is returned as it is. */
export function mended(text: string): string {
  return isWhole(text) ? text : text.toWellFormed().replaceAll("\0", "\uFFFD");
}

/** Mends every text in plain data, names of fields among them. What is sound is returned as it is. */
export function mendedData<Value>(value: Value): Value {
  if (typeof value === "string") return mended(value) as Value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const all = value.map(mendedData);
    return all.every((one, index) => one === value[index]) ? value : (all as Value);
  }
  const all = Object.entries(value).map(([name, one]) => [name, mended(name), one, mendedData(one)] as const);
  if (all.every(([name, whole, one, other]) => name === whole && one === other)) return value;
  return Object.fromEntries(all.map(([, name, , one]) => [name, one])) as Value;
}

/** Makes the notice, for the operator alone, that a text was mended. `what` says which it was, and where it stands. */
export function mendedNotice(what: string): Notice {
  const message = `${what} had half a character or a NUL, which nothing can carry: each is “\uFFFD” now.`;
  return { code: "text-mended", message };
}

export function sourceName({ source = "a source" }: Part): string {
  return preview(visible(oneLine(mended(source))), 100);
}

/** Makes the notices of what was mended in a section: one for each source. */
export function mendedIn({ planned: { name }, mended: parts, overlong }: Rendering): Notice[] {
  const cut = overlong && sourceName(overlong);
  const notices = [...new Set(parts.map(sourceName))]
    .filter((source) => source !== cut)
    .map((source) => ({ ...mendedNotice(`The text of “${name}” by ${source}`), section: name }));
  if (cut === undefined) return notices;
  const most = grouped(maxSectionChars);
  const message = `The text of “${name}” by ${cut} has more than ${most} characters: what comes after them is left out.`;
  return [...notices, { code: "text-mended", section: name, message }];
}

/** Makes the notice that a source's text, which counts as own, has a heading of the charter: it is not escaped. */
export function repeatedIn({ planned, parts }: Rendering, headings: RegExp): Notice | null {
  const { section, trust, name } = planned;
  if (section.sources === undefined) return null;
  for (const part of parts) {
    if ((part.trust ?? trust) !== "own" || part.source === "charter" || part.source === "fallback") continue;
    const [line] = headings.exec(part.text) ?? [];
    if (line === undefined) continue;
    const message = `The text of “${name}” by ${sourceName(part)} has the line “${line.trim()}”, by which the charter opens a section: as own text it is not escaped.`;
    return { code: "heading-repeated", section: name, message };
  }
  return null;
}

/** Tells whether a prompt may carry this text as it is. */
export function isSound(text: string): boolean {
  return isWhole(text) && !text.includes("\u0085") && !text.includes("\uFEFF") && !holdsControlToken(text);
}

/** Tells the same of a piece, which is checked once. */
export function isSoundPiece(piece: Piece): boolean {
  piece.sound ||= isSound(piece.shown);
  return piece.sound;
}

/**
 * Returns the texts of the parts, cleaned. Half a character and NUL are mended where a source gave them, and its part is added to
 * `unwhole`; U+FEFF and U+0085 are stripped: tokenizers disagree on them, and no reader sees them. Control tokens are broken,
 * whoever wrote them: to a tokenizer they are no words.
 */
export function soundTexts(planned: PlannedSection, parts: readonly Part[], unwhole: Part[]): string[] {
  unwhole.length = 0;
  const texts = parts.map((part) => {
    const { text } = part;
    if (isSound(text)) return text;
    if (!isWhole(text)) {
      if (planned.section.sources === undefined) throw malformed(planned, text);
      unwhole.push(part);
    }
    return withoutControlTokens(mended(text).replace(/[\uFEFF\u0085]/g, ""));
  });
  return runTogether(planned) ? withoutTokensIn(texts, planned.separator) : texts;
}

/** Tells whether parts of a section can form one word together. */
export function runTogether({ separator }: PlannedSection): boolean {
  return !/\s/.test(separator);
}

export function checkSize({ section }: PlannedSection, length: number): void {
  if (length <= maxSectionChars || section.sources !== undefined) return;
  throw new Problem(
    "section-too-large",
    `The section “${section.name}” has ${grouped(length)} characters; the limit is ${grouped(maxSectionChars)}.`,
    "Shorten it, or keep the text out of the prompt and let a tool fetch it.",
  );
}

function malformed({ section }: PlannedSection, text: string): Problem {
  const culprit = text.includes("\0") ? "a NUL character" : "half a character (a lone surrogate)";
  return new Problem(
    "bad-reading",
    `The current text of “${section.name}” holds ${culprit}.`,
    "Fix the text where it comes from; a text that can be amended is never mended.",
  );
}

/**
 * Control tokens of chat templates: `<|im_start|>`, `[INST]`, `<start_of_turn>`. A tokenizer makes one number of each, which
 * begins a message, ends it or says whose it is, and sees no quotation mark, no backtick and no code block around it. So
 * they are structure wherever they stand.
 *
 * They are known by shape and by name. The names are those of the special and added tokens in the `tokenizer.json` or
 * `tokenizer_config.json` that these models are published with, as of November 2026:
 *
 * - bars, half or full width, on both sides or one: ChatML and Qwen, Llama 3 and 4, Phi, gpt-oss (harmony), DeepSeek (with
 *   U+2581), Command R, Granite, GLM, Kimi, Hunyuan, Yi, InternLM, LFM, Falcon; Gemma 4 (`<|turn>`, `<turn|>`, `<|"|>`);
 *   EXAONE in square brackets
 * - `<s>`, `<unk>`, `<pad>`, `<bos>`, `<eos>`: Llama 2, Mistral, Gemma, T5; `<<SYS>>`: the template of Llama 2
 * - `<start_of_turn>`, `<unused0>`, `[@BOS@]`: Gemma 2 and 3; `<BOS_TOKEN>`: Command R; `<sop>`, `[gMASK]`: GLM
 * - `[INST]`, `[TOOL_CALLS]`, `<SPECIAL_20>`: Mistral; `[BOS]`, `[EOT]`: Kimi; `[CLS]`, `[MASK]`: BERT
 * - `<fim_prefix>`: StarCoder, Granite; `<extra_id_1>`: T5, Nemotron; `<reserved_106>`: Baichuan; `<eoh>`: InternLM
 * - `<think>`, `<tool_call>`: Qwen, DeepSeek, GLM; `<seed:think>`: Seed; `]~b]`, `[e~[`: MiniMax
 * - `<system-reminder>`, which is none to a tokenizer: Claude's models believe what stands in it
 */
const bar = "[|\\uFF5C]";
const close = "[>\\uFF1E\\uFE65]";
/** Letters and digits of any script and `_`, after the first also `-./:@`: matched by exclusion, which is fast. */
const word = "[^\\s!-/:-@[-^`{-~\\xB7\\uFF5C\\uFF1E\\uFE65][^\\s!-,;-?[-^`{-~\\xB7\\uFF5C\\uFF1E\\uFE65]{0,63}";

const opened =
  "s bos eos unk pad mask cls sep sop eop eoh eoa eom start_of_turn end_of_turn start_of_image end_of_image image_soft_token " +
  "BOS_TOKEN EOS_TOKEN EOP_TOKEN MASK_TOKEN BOS EOS PAD UNK CLS SEP fim_prefix fim_middle fim_suffix fim_pad fim-prefix " +
  "fim-middle fim-suffix fim-pad 2mass think tool_call tool_calls tool_response arg_key arg_value system-reminder";
const closed = "s system-reminder think tool_call tool_calls tool_response arg_key arg_value";
const numbered = "unused extra_id_ reserved_ SPECIAL_ TOKENS_UNUSED_ mask:";
const bracketed =
  "INST /INST SYSTEM_PROMPT /SYSTEM_PROMPT AVAILABLE_TOOLS /AVAILABLE_TOOLS TOOL_CALLS TOOL_RESULTS /TOOL_RESULTS " +
  "TOOL_CONTENT CALL_ID ARGS THINK /THINK MODEL_SETTINGS /MODEL_SETTINGS IMG IMG_BREAK IMG_END AUDIO BEGIN_AUDIO " +
  "PREFIX MIDDLE SUFFIX BOS EOS EOT PAD UNK CLS SEP MASK gMASK sMASK @BOS@ toxicity=0";

const anyOf = (names: string) => `(?:${names.split(" ").join("|")})`;
const firstOf = (names: string) => names.replace(/(\S)\S*\s*/g, "$1");

const sign = "[<\\uFF1C\\uFE64]";
const barEnd = `${bar}${close}`;
/** Tokens in angle brackets. The lookahead for a name's first letter passes over most tags of ordinary markup. */
const angle = [
  `${bar}(?:${word}${bar}?${close}|"${bar}>)`,
  `<\\/?SYS>>`,
  `(?=\\/?[${firstOf(`${opened} ${closed} ${numbered} seed minimax`)}])(?:${[
    `${anyOf(opened)}${close}`,
    `\\/${anyOf(closed)}${close}`,
    `\\/?(?:seed|minimax):[a-z_]{1,32}${close}`,
    `${anyOf(numbered)}\\d{1,6}${close}`,
  ].join("|")})`,
].join("|");

/**
 * Patterns of what follows the sign that a token begins with. None contains such a sign, except as its last character and in
 * `<<SYS>>`.
 */
export const tokenRests = {
  angle: `${angle}|[a-z_]{1,32}${barEnd}`,
  square: `${anyOf(bracketed)}\\]|${bar}(?:system|user|assistant|tool|endofturn)${bar}\\]|e~\\[`,
  turned: "~!?b[\\]\\[]",
};

/** The sign that each token begins with: what follows is matched but not consumed, since a token may begin where another ends. */
const tokens = new RegExp(
  `${sign}(?=(${tokenRests.angle}))|\\[(?=(${tokenRests.square}))|\\](?=(${tokenRests.turned}))`,
  "g",
);

/** A control token in a text, and where it begins. */
type ControlToken = { readonly at: number; readonly token: string };

/** Any control token, in one pass. `<turn|>` is looked for from its end, which hardly any text has. */
const anyToken = new RegExp(
  `${sign}(?:${angle})|(?<=${sign}[a-z_]{1,32})${barEnd}|\\[(?:${tokenRests.square})|\\](?:${tokenRests.turned})`,
);

/** Tells whether a text holds a control token. Every text is asked, so this is fast where there is none. */
export function holdsControlToken(text: string): boolean {
  return anyToken.test(text);
}

/** Lists every control token of a text, in order. */
export function controlTokens(text: string): ControlToken[] {
  if (!holdsControlToken(text)) return [];
  return Array.from(text.matchAll(tokens), ({ 0: sign, 1: angle, 2: square, 3: turned, index }) => ({
    at: index,
    token: sign + (angle ?? square ?? turned ?? ""),
  }));
}

/** Tokens that people also write for other reasons, such as in usage lines: broken in a prompt, but refused from nobody. */
const ordinaryToo: ReadonlySet<string> = new Set(
  "[ARGS] [PREFIX] [MIDDLE] [SUFFIX] [IMG] [AUDIO] [MASK] <mask>".split(" "),
);

/** Tells whether a token is written for nothing but a chat template. */
export function isPlainlyControl({ token }: ControlToken): boolean {
  return !ordinaryToo.has(token);
}

/** Refuses words to be kept that hold a control token, as a guard would refuse them in a proposal. */
export function checkControlTokens(what: string, text: string): void {
  const [first] = controlTokens(text).filter(isPlainlyControl);
  if (!first) return;
  throw new Problem(
    "control-token",
    `${what} holds the control token “${first.token}” of a chat template, at index ${first.at}.`,
    "Write it without the signs around its name, or leave it out.",
  );
}

/** Breaks the control tokens of a text, where everyone sees it: `&lt;|im_start|>`, `[\INST]`. Other text stays as it is. */
export function withoutControlTokens(text: string): string {
  return holdsControlToken(text) ? text.replace(tokens, brokenSign) : text;
}

/**
 * Breaks control tokens in texts that stand together with `between` between them: a token that two of them form is broken where
 * it begins.
 */
export function withoutTokensIn(texts: readonly string[], between: string): string[] {
  if (!holdsControlToken(texts.join(between))) return [...texts];
  return replaceIn(texts, { between, pattern: tokens, change: brokenSign });
}

/** Replaces a pattern's matches in texts that stand together, each in the text in which it begins; what is between them stays. */
export function replaceIn(
  texts: readonly string[],
  {
    between,
    pattern,
    change,
  }: { readonly between: string; readonly pattern: RegExp; readonly change: (found: string, at: number) => string },
): string[] {
  const all = texts.join(between);
  if (all.search(pattern) === -1) return [...texts];
  const matches = all.matchAll(pattern);
  let next = matches.next().value;
  let start = 0;
  return texts.map((text) => {
    const end = start + text.length;
    let out = "";
    let from = start;
    for (; next && next.index < end; next = matches.next().value) {
      if (next.index < start) continue;
      out += all.slice(from, next.index) + change(next[0], next.index);
      from = next.index + next[0].length;
    }
    out += from < end ? all.slice(from, end) : "";
    start = end + between.length;
    return out;
  });
}

/** Breaks the control tokens of a text that is quoted as JSON; `written` gives the escape for their first sign. */
export function withoutQuotedTokens(text: string, written: (sign: string) => string): string {
  return holdsControlToken(text) ? text.replace(tokens, (sign: string) => written(sign)) : text;
}

function brokenSign(sign: string): string {
  return sign === "[" || sign === "]" ? `${sign}\\` : "&lt;";
}
