const form = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}._-]*[\p{L}\p{M}\p{N}])?$/u;

/** What is wrong with the name of a new agent, as it is typed. Undefined: nothing; an empty one is not yet wrong. */
export function nameFault(name: string, taken: readonly string[]): string | undefined {
  if (name === "") return undefined;
  if (taken.includes(name)) return `There is an agent “${name}” already, or there was one. Names are used once.`;
  if ([...name].length > 200) return "At most 200 characters.";
  if (form.test(name)) return undefined;
  return "Letters, digits, “-”, “_” and “.”, with a letter or a digit at both ends: no spaces.";
}

/** A name nobody has yet for the copy of an agent. */
export function copyName(name: string, taken: readonly string[]): string {
  const base = name
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "-")
    .slice(0, 190)
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu, "");
  const first = `${base === "" ? "agent" : base}-copy`;
  for (let count = 1; ; count++) {
    const found = count === 1 ? first : `${first}-${count}`;
    if (!taken.includes(found)) return found;
  }
}
