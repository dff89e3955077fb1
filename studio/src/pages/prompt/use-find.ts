import { useDeferredValue, useMemo, useState } from "react";
import { useAsked } from "../../app/place.ts";
import { useTyped } from "../../kit/field.tsx";
import { hitsOf } from "./hits.ts";
import type { Mark } from "./piece.ts";
import type { Stretch } from "./word/word.ts";

const none: readonly Mark[] = [];

/** Words that are looked for in the text: where they stand, and which of them is looked at. */
export function useFind(text: string, sections: readonly Stretch[]) {
  const [asked, change] = useAsked();
  const [words, setWords] = useTyped(asked("find") ?? "", (find) => change({ find }));
  const [step, setStep] = useState(0);
  const sought = useDeferredValue(words);
  const hits = useMemo(() => hitsOf(text, sections, sought), [text, sections, sought]);
  const here = hits.length === 0 ? 0 : ((step % hits.length) + hits.length) % hits.length;
  const marks = useMemo(
    () => (hits.length === 0 ? none : hits.map((hit, at): Mark => ({ ...hit, kind: at === here ? "here" : "hit" }))),
    [hits, here],
  );
  return {
    words,
    hits,
    here,
    marks,
    type: (next: string) => {
      setWords(next);
      setStep(0);
    },
    step: (by: 1 | -1) => setStep(here + by),
  };
}
