import type { Charter } from "../prompt/charter.ts";
import { planOf } from "../prompt/plan.ts";
import type { Prompt } from "../prompt/prompt.ts";
import { type SectionText, type SentSpan, sectionTexts } from "../prompt/receipt.ts";
import type { Stability } from "../prompt/section.ts";
import type { Tokenizer } from "../prompt/tokens.ts";

/** How words move, for delivery: fixed words stand in the prefix, whatever else stands in their section. */
export function stabilityOf({ mutability, stability }: Pick<SectionText, "mutability" | "stability">): Stability {
  return mutability === "fixed" ? "stable" : stability;
}

/** A prompt's sections, each without the separator after it: what a slot puts together anew. */
export function bodiesOf(prompt: Prompt, tokenizer: Tokenizer | undefined): SectionText[] {
  return sectionTexts(prompt, tokenizer).map((words, index) => {
    const gap = prompt.sections[index]?.gap ?? 0;
    return gap === 0 ? words : { ...words, text: words.text.slice(0, -gap), spans: longer(words.spans, -gap) };
  });
}

const joined = new WeakMap<SectionText, Map<string, SectionText>>();

/**
 * Sections in a slot, with what the charter puts between them. What stands after a section depends on the next one in
 * the same slot only, so nothing that moves elsewhere can change these bytes. The same words give the same objects.
 */
export function joinWords(charter: Charter, bodies: readonly SectionText[]): SectionText[] {
  const { byName } = planOf(charter);
  return bodies.map((words, index) => {
    const next = bodies[index + 1];
    if (next === undefined) return words;
    const planned = byName.get(words.name);
    const gap = planned === undefined ? "\n\n" : next.layer === words.layer ? planned.within : planned.after;
    return withGap(words, gap);
  });
}

/** Words with what parts them from the next. */
export function withGap(words: SectionText, gap: string): SectionText {
  if (gap === "") return words;
  const known = joined.get(words) ?? new Map<string, SectionText>();
  joined.set(words, known);
  const longerWords = known.get(gap) ?? { ...words, text: words.text + gap, spans: longer(words.spans, gap.length) };
  known.set(gap, longerWords);
  return longerWords;
}

function longer(spans: readonly SentSpan[], by: number): SentSpan[] {
  return spans.map((span, index) => (index === spans.length - 1 ? { ...span, length: span.length + by } : span));
}

const own = { mutability: "live", stability: "stable", trust: "own", revision: null } as const;
const byDelivery = { source: "delivery", revision: null, trust: "own" } as const;

/** Words of delivery's own before a section's. */
export function introduced(words: SectionText, opening: string, tokenizer?: Tokenizer): SectionText {
  if (opening === "") return words;
  const spans = [{ ...byDelivery, length: opening.length }, ...words.spans];
  const tokens = tokenizer && words.tokens !== null ? words.tokens + tokenizer.count(opening) : null;
  return { ...words, text: opening + words.text, spans, tokens };
}

/** Words that are no section of the charter: code says them, for this request. */
export function codeWords(
  about: Pick<SectionText, "name" | "layer" | "source" | "stability" | "text">,
  tokenizer: Tokenizer | undefined,
): SectionText {
  const { text, source } = about;
  const spans = [{ length: text.length, source, revision: null, trust: "own" as const }];
  return { ...own, ...about, spans, tokens: tokenizer?.count(text) ?? null };
}

/** What the prefix says of the mark, as a section of delivery's own. */
export function markWords(text: string, tokenizer: Tokenizer | undefined): SectionText {
  return codeWords({ name: "mark", layer: "delivery", source: "delivery", stability: "stable", text }, tokenizer);
}

/** What a message that tells of a section's new words begins with, behind the mark. */
export function updateOpening(section: string): string {
  return `Your prompt has changed: “${section}” now reads:\n\n`;
}

/** The message that tells of a section's new words, all of them, or that it has none; an event is told as it is. */
export function updateWords(section: string, words: SectionText | null, mark?: string): SectionText {
  const opening = markOpening(mark);
  if (words === null) return goneWords(section, `${opening}Your prompt has changed: “${section}” no longer applies.`);
  if (stabilityOf(words) === "event") return introduced(words, opening);
  return introduced(words, opening + updateOpening(section));
}

/** What a message begins with that speaks for the system, where it needs a mark. */
export function markOpening(mark: string | undefined): string {
  return mark === undefined ? "" : `${mark} `;
}

/** A message that says a section no longer applies. */
export function goneWords(section: string, text: string): SectionText {
  const gone = { ...own, name: section, layer: "delivery", source: "delivery", tokens: null };
  return { ...gone, text, spans: [{ ...byDelivery, length: text.length }] };
}

/** The tail of a request: every section of state that has words, as it is now. */
export function stateWords(
  charter: Charter,
  bodies: readonly SectionText[],
  mark?: string,
  tokenizer?: Tokenizer,
): SectionText[] {
  const speaking = bodies.filter(({ text }) => text.trim() !== "");
  const [first, ...others] = joinWords(charter, speaking);
  if (first === undefined) return [];
  return [mark === undefined ? first : introduced(first, `${mark}\n`, tokenizer), ...others];
}
