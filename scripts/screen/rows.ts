import { createHash } from "node:crypto";

/** What a text is by the name its publisher gave it, never by how the screen judged it. */
export type Kind = "direct" | "translated" | "other attack" | "ordinary request" | "ordinary prompt";

/** A text to judge. Its half is fixed by a hash: of its own words, or of the pattern it was written out from. */
export type Row = { readonly kind: Kind; readonly set: string; readonly text: string; readonly half: Half };

/** Rows of the first half may be read while rules are written; those of the second are only counted. */
export type Half = "looked at" | "kept unseen";

/** The half of a text: whether the first hexadecimal digit of its SHA-256 is even or odd. */
export function halfOf(key: string): Half {
  const digit = createHash("sha256").update(key).digest("hex").slice(0, 1);
  return Number.parseInt(digit, 16) % 2 === 0 ? "looked at" : "kept unseen";
}

export function row(kind: Kind, set: string, text: string): Row {
  return { kind, set, text, half: halfOf(text) };
}

/** Of what is said twice, the first. */
export function distinct(rows: readonly Row[]): Row[] {
  const seen = new Set<string>();
  return rows.filter(({ text }) => text.trim() !== "" && !seen.has(text) && seen.add(text));
}
