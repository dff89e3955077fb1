import type { SampleListAnswer, TurnParts } from "charter/answers";
import type { Stratum } from "../strata/stratum.ts";

/** A turn as the list has it: what its last step sent, in layers, and what became of it. */
export type Sample = SampleListAnswer["samples"][number];
/** One turn whole, step by step. */
export type WholeSample = TurnParts["sample"];
export type SampleStep = WholeSample["steps"][number];
export type SentSection = Sample["sections"][number];
export type CacheBreak = NonNullable<Sample["broke"]>;

/** Where a section stood, in words. */
export const slotNames: Readonly<Record<string, string>> = {
  system: "system prompt",
  update: "sent as an update",
  state: "dynamic state",
};

/** The sections of a sample as bands, in the order in which they were sent. */
export function strataOf(sections: readonly SentSection[]): readonly Stratum[] {
  return sections.map(({ name, layer, mutability, tokens, cut, slot }) => ({
    name,
    layer,
    mutability,
    tokens: tokens ?? 0,
    ...(cut ? { cut } : {}),
    ...(slot === "state" ? { tail: true } : {}),
  }));
}

export function tokensIn(sections: readonly SentSection[]): number {
  return sections.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0);
}

/** What a section had in the sample before, and has in this one. */
export type Changed = {
  readonly name: string;
  readonly slot: string;
  readonly before: number | undefined;
  readonly after: number | undefined;
};

/** Which sections came, went or changed their size from one sample to the next. */
export function changesBetween(before: readonly SentSection[], after: readonly SentSection[]): readonly Changed[] {
  const placeOf = ({ slot, name }: SentSection) => `${slot}\0${name}`;
  const was = new Map(before.map((section) => [placeOf(section), section]));
  const is = new Map(after.map((section) => [placeOf(section), section]));
  const now = after.flatMap((section): Changed[] => {
    const { name, slot, tokens } = section;
    const old = was.get(placeOf(section));
    if (old && (old.tokens ?? 0) === (tokens ?? 0)) return [];
    return [{ name, slot, before: old && (old.tokens ?? 0), after: tokens ?? 0 }];
  });
  const gone = before
    .filter((section) => !is.has(placeOf(section)))
    .map(({ name, slot, tokens }) => ({ name, slot, before: tokens ?? 0, after: undefined }));
  return [...now, ...gone];
}
