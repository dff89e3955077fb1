import type { Billing } from "../../billing/bill.ts";
import type { Part } from "./spending.ts";

const colours: Readonly<Record<string, string>> = {
  fixed: "--color-fixed",
  amendable: "--color-amendable",
  live: "--color-live",
};

/** The fuller, the dearer: read from the cache is pale, written to it is half full, fresh is full. */
const solidity: Readonly<Record<keyof Billing, number>> = { read: 0.3, written: 0.62, fresh: 1 };

/** What is no section has no mutability's colour. */
const plain: Readonly<Record<string, number>> = { tools: 100, history: 66, rest: 40, uncounted: 26 };

export type Shade = (solid: keyof Billing) => string;

/** A colour for each part: by mutability, and among sections of the same one the later the lighter. */
export function shadesOf(parts: readonly Part[]): readonly Shade[] {
  return parts.map(({ kind, mutability }, index): Shade => {
    const alike = parts.filter((one) => one.kind === "section" && one.mutability === mutability);
    const before = parts.slice(0, index).filter((one) => one.kind === "section" && one.mutability === mutability);
    const lighter = alike.length < 2 ? 0 : (before.length / (alike.length - 1)) * 42;
    const full = kind === "section" ? 100 - lighter : (plain[kind] ?? 50);
    const colour = (mutability && colours[mutability]) ?? "--color-soft";
    return (solid) => `color-mix(in oklab, var(${colour}) ${Math.round(full * solidity[solid])}%, var(--color-card))`;
  });
}
