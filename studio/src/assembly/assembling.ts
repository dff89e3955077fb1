import { assemble, type Charter, type Cut, Problem, type Prompt, type Readings, type Tokenizer } from "charter";
import type { PromptInputsAnswer } from "charter/answers";
import type { About, Assembled, Range, Wanted } from "./assembled.ts";

/** What was gathered, as `assemble` takes it, and what counts its tokens. */
export type Gathered = {
  readonly charter: Charter;
  readonly readings: Readings;
  readonly notices: Assembled["notices"];
  readonly about: Omit<About, "limit">;
  readonly tokenizer: Tokenizer;
  /** Is the tokenizer the receiver's own? */
  readonly exact: boolean;
};

export async function gatheredOf(
  answer: PromptInputsAnswer,
  loadTokenizer: (name: string) => Promise<Tokenizer>,
): Promise<Gathered> {
  const { receiver, channels, at, edition, toolTokens } = answer;
  const { name, slots, window, cacheMin } = receiver;
  const tokenizer = await loadTokenizer(receiver.tokenizer.name);
  return {
    charter: answer.charter as Charter,
    readings: answer.readings as Readings,
    notices: answer.notices as Assembled["notices"],
    about: {
      receiver: { name, slots, window, cacheMin },
      channels,
      at,
      edition,
      toolTokens,
      editors: editorsOf(answer.charter as Charter),
    },
    tokenizer,
    exact: receiver.tokenizer.exact && tokenizer.exact,
  };
}

/** Everyone who may change a section of a charter, each once. */
function editorsOf({ layers }: Pick<Charter, "layers">): readonly string[] {
  const all = layers.flatMap(({ mutability, sections }) => sections.map((one) => one.mutability ?? mutability));
  return [...new Set(all.flatMap((one) => (typeof one === "object" ? one.amendableBy : [])))];
}

type Room = Pick<Wanted, "edition" | "tokens">;

/** The prompt of what was gathered, in this edition and room. What cannot give way and does not fit is a Problem. */
export function promptOf({ charter, readings, about, tokenizer }: Gathered, { edition, tokens }: Room): Prompt {
  const room = { edition: edition ?? about.edition, tokenizer };
  return assemble(charter, readings, tokens === undefined ? room : { ...room, tokens });
}

/** The same as plain data that can be sent to the page. */
export function assembledOf(gathered: Gathered, prompt: Prompt): Assembled {
  const { charter, about, tokenizer, exact } = gathered;
  const counted = prompt.tokens(tokenizer);
  const { limit } = charter;
  return {
    about: { ...about, limit: (prompt.edition === "compact" ? limit?.compact?.tokens : undefined) ?? limit?.tokens },
    edition: prompt.edition,
    text: prompt.text,
    tokens: { total: counted.total, tokenizer: counted.tokenizer, exact },
    sections: prompt.sections.map((section, index) => ({ ...section, tokens: counted.sections[index] as number })),
    cuts: inOrder(charter, prompt.cuts),
    omitted: prompt.omitted,
    notices: [...gathered.notices, ...prompt.notices],
  };
}

/** As they gave way: what an edition or a section's own limit took first, then rule by rule. */
function inOrder({ givesWay = [] }: Charter, cuts: readonly Cut[]): readonly Cut[] {
  if (cuts.length < 2) return cuts;
  const keyOf = (section: string, unit: string) => JSON.stringify([section, unit]);
  const places = new Map<string, number>();
  for (const [place, { section, parts = "parts" }] of givesWay.entries())
    if (!places.has(keyOf(section, parts))) places.set(keyOf(section, parts), place);
  const placed = cuts.map((cut) => ({
    cut,
    place: cut.form === "compact" ? -1 : (places.get(keyOf(cut.section, cut.unit)) ?? -1),
  }));
  return placed.sort((one, other) => one.place - other.place).map(({ cut }) => cut);
}

/** More than any prompt has: it stands in for the charter's own limit. */
const boundless = 1_000_000_000;

/**
 * How many tokens the whole prompt has, and the fewest it can be made to fit: found by trying, since only `assemble`
 * knows. `rest` is waited for between two tries, so that whatever else was asked comes in between.
 */
export async function rangeOf(
  gathered: Gathered,
  { edition }: Pick<Wanted, "edition">,
  rest: () => Promise<void>,
): Promise<Range | undefined> {
  const fits = (tokens: number) => totalWithin(gathered, edition, tokens);
  const whole = fits(boundless);
  if (whole === undefined) return undefined;
  let least = whole;
  for (let low = 0; low < least; ) {
    await rest();
    const middle = Math.floor((low + least) / 2);
    const total = fits(middle);
    if (total === undefined) low = middle + 1;
    else least = middle;
  }
  return { least, whole };
}

function totalWithin(gathered: Gathered, edition: Wanted["edition"], tokens: number): number | undefined {
  try {
    return promptOf(gathered, { edition, tokens }).tokens(gathered.tokenizer).total;
  } catch (error) {
    if (error instanceof Problem && error.code === "no-room") return undefined;
    throw error;
  }
}
