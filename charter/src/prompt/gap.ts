import type { Part, Trust } from "./part.ts";
import type { PlannedSection } from "./plan.ts";
import { beginsBlank } from "./structure.ts";

/** What stands between two parts: a blank line after a stranger's quotation, else what follows would belong to it. */
export function gapAfter(planned: PlannedSection, parts: readonly Part[], index: number): string {
  const part = parts[index] as Part;
  const next = parts[index + 1] as Part;
  if (next.apart) return "\n\n";
  if (isQuotation(planned, part)) return beginsBlank(planned.separator) ? planned.separator : "\n\n";
  if (planned.separator.includes("\n") || trustOfPart(planned, part) === trustOfPart(planned, next))
    return planned.separator;
  return trustOfPart(planned, part) === "own" ? planned.separator : "\n";
}

export function trustOfPart(planned: PlannedSection, { trust }: Part): Trust {
  return trust ?? planned.trust;
}

export function isQuotation(planned: PlannedSection, { trust, fenced: already }: Part): boolean {
  return already !== true && (trust ?? planned.trust) === "foreign";
}
