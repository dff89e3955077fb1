import type { Part } from "./part.ts";

/** The places that go with a part, because they stand under it, or under one that does. */
export function descendantsOf(parts: readonly Part[], { id }: Part): number[] {
  const found: number[] = [];
  const parents = new Set([id]);
  if (id === undefined) return found;
  for (let before = 0; before < parents.size; ) {
    before = parents.size;
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index] as Part;
      if (part.parent === undefined || !parents.has(part.parent) || found.includes(index)) continue;
      found.push(index);
      if (part.id !== undefined) parents.add(part.id);
    }
  }
  return found;
}
