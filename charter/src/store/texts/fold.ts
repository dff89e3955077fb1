/** As letters are compared: no case, no accents, one form. */
export function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().normalize("NFKC");
}
