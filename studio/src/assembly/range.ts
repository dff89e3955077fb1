import { Problem } from "charter";
import type { Range, Wanted } from "./assembled.ts";
import { type Gathered, promptOf } from "./assembling.ts";

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
