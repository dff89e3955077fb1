import type { Cut } from "charter";

/** The cuts that say how a section is in the end: what was trimmed of one that was left out later is not told. */
export function finalCuts(cuts: readonly Cut[]): readonly Cut[] {
  const dropped = new Map(cuts.flatMap(({ section, form, kept }, at) => (isAll(form, kept) ? [[section, at]] : [])));
  return cuts.filter(({ section }, at) => at >= (dropped.get(section) ?? 0));
}

const isAll = (form: Cut["form"], kept: number) => form === "dropped" && kept === 0;
