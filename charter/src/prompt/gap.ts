import type { Part, Trust } from "./part.ts";
import type { Planned } from "./plan.ts";
import { beginsBlank } from "./structure.ts";

/** Does the separator plainly stand between all of them? */
export function areParted(planned: Planned, parts: readonly Part[]): boolean {
  return planned.plainGaps && parts.every(({ apart, trust }) => apart !== true && trust !== "foreign");
}

/** What stands between two parts: a blank line after a stranger's quotation, else what follows would belong to it. */
export function gapAfter(planned: Planned, parts: readonly Part[], index: number): string {
  const part = parts[index] as Part;
  const next = parts[index + 1] as Part;
  if (next.apart) return "\n\n";
  if (isQuotation(planned, part)) return beginsBlank(planned.separator) ? planned.separator : "\n\n";
  if (planned.separator.includes("\n") || trustOf(planned, part) === trustOf(planned, next)) return planned.separator;
  return trustOf(planned, part) === "own" ? planned.separator : "\n";
}

export function trustOf(planned: Planned, { trust }: Part): Trust {
  return trust ?? planned.trust;
}

export function isQuotation(planned: Planned, { trust, fenced: already }: Part): boolean {
  return already !== true && (trust ?? planned.trust) === "foreign";
}
