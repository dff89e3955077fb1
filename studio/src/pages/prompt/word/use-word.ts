import { useMemo, useState } from "react";
import { useAsked } from "../../../app/place.ts";
import type { Block } from "../document.ts";
import type { Stretch } from "./word.ts";
import { inAddress, type PlacedWord, stretchOf, wordIn } from "./word-place.ts";

/** The word the keys are on, and whether it is asked about: then the address names it. It is lost when it is no longer there. */
export function useWord(text: string, sections: readonly Block[]) {
  const [asked, change] = useAsked();
  const [kept, setKept] = useState<PlacedWord>();
  const named = asked("word");
  const at = useMemo(() => {
    const own = named === undefined || (kept && inAddress(kept) === named) ? kept : undefined;
    if (own) return stretchOf(own, text, sections);
    return named === undefined ? undefined : wordIn(named, text, sections);
  }, [kept, named, text, sections]);
  const open = named !== undefined && at !== undefined;
  const move = (word: Stretch, asking = open) => {
    const { start, end } = word;
    const section = sections.find((one) => start >= one.start && start < one.end);
    if (!section) return;
    const next = { section: section.name, from: start - section.start, words: text.slice(start, end) };
    setKept(next);
    if (asking) change({ word: inAddress(next) });
  };
  return {
    at,
    open,
    move: (word: Stretch) => move(word),
    choose: (word: Stretch) => move(word, true),
    close: () => change({ word: undefined }),
  };
}
