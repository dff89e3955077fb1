import type { Refusal } from "../app/page.tsx";

/** A stretch of the text that a guard objects to, in places of the editor's own document. */
export type Objection = {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
  readonly holds: boolean;
};

/**
 * Where the objections to a text stand in an editor that shows it. Guards look at the text as it would be saved: that may
 * be without the white space around it. An editor counts every line end as one sign, also where it is two.
 */
export function objectionsIn(shown: string, judged: string | undefined, refusals: readonly Refusal[]): Objection[] {
  const shift = judged === undefined || judged === shown ? 0 : shown.indexOf(judged);
  if (shift === -1) return [];
  const returns: number[] = [];
  for (let at = shown.indexOf("\r\n"); at !== -1; at = shown.indexOf("\r\n", at + 2)) returns.push(at);
  const both = returns.length > 0 && returns.length === shown.split("\n").length - 1;
  const inEditor = (at: number) => {
    const place = Math.min(Math.max(0, at + shift), shown.length);
    return both ? place - returns.filter((one) => one < place).length : place;
  };
  return refusals
    .flatMap(({ guard, because, holds = false, places = [] }) =>
      places.map(({ at, end }) => ({ from: inEditor(at), to: inEditor(end), reason: `${guard}: ${because}`, holds })),
    )
    .filter(({ from, to }) => from < to)
    .sort((one, other) => one.from - other.from || one.to - other.to);
}
