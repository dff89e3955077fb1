import type { SampleListAnswer, TurnParts } from "charter/answers";
import { useEffect } from "react";
import { useApi } from "../api/query-client.ts";
import { type ApiProblem, encodeName, withQuery } from "../api/request.ts";

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
  update: "update in the history",
  foreign: "untrusted text, as a message",
  state: "dynamic state",
};

export function tokensIn(sections: readonly SentSection[]): number {
  return sections.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0);
}

/** What a section had in the sample before, and has in this one. */
type Changed = {
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

/** A turn tells when it begins and when it ends; what it does in between is looked for. */
const lookAgainMs = 1_500;

type Samples = {
  readonly data: SampleListAnswer | undefined;
  readonly problem: ApiProblem | null;
  /** How many were asked for: fewer than wished where each is very large. */
  readonly size: number;
  readonly again: () => void;
};

/** The newest turns of an agent, or of one user with it; newest first. */
export function useSamples(
  agent: string,
  asked: { readonly user?: string | undefined; readonly limit: number; readonly offset?: number },
): Samples {
  const { limit, ...whose } = asked;
  const path = (limit: number) => withQuery(`/agents/${encodeName(agent)}/samples`, { ...whose, limit });
  const few = useApi<SampleListAnswer>(path(Math.min(limit, aFew)));
  const sections = few.data && Math.max(0, ...few.data.samples.map((sample) => sample.sections.length));
  const size = sections === undefined ? limit : atOnce(limit, sections);
  const isAll = few.data !== undefined && (size <= aFew || !few.data.more);
  const all = useApi<SampleListAnswer>(few.data === undefined || isAll ? undefined : path(size));
  const data = isAll ? few.data : all.data;
  const running = data?.samples.some(({ state }) => state === "running") ?? false;
  const { refetch } = isAll ? few : all;
  useLookingAgain(running, refetch);
  return { data, problem: few.error ?? all.error, size, again: () => void refetch() };
}

/** Reads again and again as long as something is under way. */
export function useLookingAgain(running: boolean, refetch: () => unknown): void {
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(refetch, lookAgainMs);
    return () => clearInterval(timer);
  }, [running, refetch]);
}

/** So many turns are asked for first: how large they are says how many may be asked for at once. */
const aFew = 8;

/** So many sections are read at once, of all turns together. */
const maxSections = 8_000;

/** How many turns are read at once where the largest of a few has so many sections; never fewer than those few. */
export function atOnce(wanted: number, sections: number): number {
  return Math.max(Math.min(wanted, aFew), Math.min(wanted, Math.floor(maxSections / Math.max(1, sections))));
}

/** Where a day begins: before which sample; its name, where there is room for one. */
type DayTick = { readonly at: number; readonly day: string; readonly named: boolean };

/** `dayOf` says which day a moment is on, for whoever looks. `apart`: so many samples lie between two names at least. */
export function dayTicks(
  samples: readonly Pick<Sample, "startedAt">[],
  dayOf: (at: string) => string,
  apart: number,
): readonly DayTick[] {
  const ticks: DayTick[] = [];
  let last = Number.NEGATIVE_INFINITY;
  samples.forEach(({ startedAt }, at) => {
    const day = dayOf(startedAt);
    if (at > 0 && ticks.at(-1)?.day === day) return;
    const named = at - last >= apart;
    if (named) last = at;
    ticks.push({ at, day, named });
  });
  return ticks;
}
