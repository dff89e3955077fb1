import { holdsControlToken, withoutControlTokens, withoutTokensIn } from "./control-token.ts";
import type { Part } from "./part.ts";
import type { PlannedSection } from "./plan.ts";
import { grouped, Problem } from "./problem.ts";
import type { Piece } from "./tokens.ts";

/** No model reads more; a source that gives more is a mistake worth naming. */
const largestSection = 2_000_000;

/** Half a character or a NUL can neither be kept nor sent. */
export function isWhole(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

/** May a prompt carry this text as it is? */
export function isSound(text: string): boolean {
  return isWhole(text) && !text.includes("\u0085") && !text.includes("\uFEFF") && !holdsControlToken(text);
}

/** The same of a piece, which is looked at once. */
export function isSoundPiece(piece: Piece): boolean {
  piece.sound ||= isSound(piece.shown);
  return piece.sound;
}

/**
 * What the parts say. Half a character and NUL are refused, and their source is named; U+FEFF and U+0085 are stripped:
 * tokenizers disagree on them, and no reader sees them. Control tokens are broken, whoever wrote them: to a tokenizer they
 * are no words.
 */
export function soundTexts(planned: PlannedSection, parts: readonly Part[]): string[] {
  const texts = parts.map((part) => {
    const { text } = part;
    if (isSound(text)) return text;
    if (!isWhole(text)) throw malformed(planned, part);
    return withoutControlTokens(text.replace(/[\uFEFF\u0085]/g, ""));
  });
  return runTogether(planned) ? withoutTokensIn(texts, planned.separator) : texts;
}

/** Can parts of a section make one word together? */
export function runTogether({ separator }: PlannedSection): boolean {
  return !/\s/.test(separator);
}

export function checkSize({ section }: PlannedSection, length: number): void {
  if (length <= largestSection) return;
  throw new Problem(
    "section-too-large",
    `The section “${section.name}” has ${grouped(length)} characters; the limit is ${grouped(largestSection)}.`,
    "Give its source a limit, or keep the text out of the prompt and let a tool fetch it.",
  );
}

function malformed({ section }: PlannedSection, { text, source }: Part): Problem {
  const what = text.includes("\0") ? "a NUL character" : "half a character (a lone surrogate)";
  return new Problem(
    "malformed-text",
    `The section “${section.name}” was given ${what} by ${source ?? "its source"}.`,
    "Fix the text where it comes from; Charter never repairs words silently.",
  );
}
