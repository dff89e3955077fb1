import { sha256 } from "../texts/sha256.ts";

/** Which texts were met on a walk: eight bytes each, so that millions of them fit. */
export type SeenTexts = {
  readonly add: (owner: string, digest: string) => void;
  readonly has: (owner: string, digest: string) => boolean;
  readonly size: () => number;
};

const nothing = -1;

export function createSeenTexts(): SeenTexts {
  let slots = new Float64Array(1024).fill(nothing);
  let size = 0;
  const place = (mark: number): number => {
    let at = mark % slots.length;
    while (slots[at] !== nothing && slots[at] !== mark) at = (at + 1) % slots.length;
    return at;
  };
  const grow = () => {
    const before = slots;
    slots = new Float64Array(before.length * 2).fill(nothing);
    for (const mark of before) if (mark !== nothing) slots[place(mark)] = mark;
  };
  return {
    size: () => size,
    has: (owner, digest) => {
      const mark = markOf(owner, digest);
      return slots[place(mark)] === mark;
    },
    add: (owner, digest) => {
      const mark = markOf(owner, digest);
      const at = place(mark);
      if (slots[at] === mark) return;
      slots[at] = mark;
      size++;
      if (size * 2 > slots.length) grow();
    },
  };
}

/** 52 bits: two of a billion texts share a mark once in many thousand stores. */
function markOf(owner: string, digest: string): number {
  return Number.parseInt(sha256(`${owner}\0${digest}`).slice(0, 13), 16);
}
