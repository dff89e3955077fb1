import { useMemo, useState } from "react";
import type { Placed } from "../../../assembly/placed.ts";
import type { Stretch } from "./word.ts";

/** A word by its section and its place in it: the section may move as the prompt changes. */
type Kept = { readonly section: string; readonly from: number; readonly words: string };

/** The word the keys are on, and whether it is asked about. It is lost when its words are no longer there. */
export function useWord(text: string, sections: readonly Placed[]) {
  const [kept, setKept] = useState<Kept>();
  const [open, setOpen] = useState(false);
  const at = useMemo(() => kept && stretchOf(kept, text, sections), [kept, text, sections]);
  const move = ({ start, end }: Stretch) => {
    const section = sections.find((one) => start >= one.start && start < one.end);
    if (section) setKept({ section: section.name, from: start - section.start, words: text.slice(start, end) });
  };
  return {
    at,
    open,
    move,
    choose: (word: Stretch) => {
      move(word);
      setOpen(true);
    },
    close: () => setOpen(false),
  };
}

function stretchOf({ section, from, words }: Kept, text: string, sections: readonly Placed[]): Stretch | undefined {
  const placed = sections.find(({ name }) => name === section);
  if (!placed) return undefined;
  const start = placed.start + from;
  return text.startsWith(words, start) && start < placed.end ? { start, end: start + words.length } : undefined;
}
