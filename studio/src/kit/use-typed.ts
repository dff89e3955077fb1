import { useEffect, useRef, useState } from "react";

/**
 * Words that are acted on while they are typed, but not at every key: `settle` hears of them after a pause. What is shown
 * is what was typed, until it is what is `kept`; from then on it is what is kept, whoever changes that.
 */
export function useTyped(
  kept: string,
  settle: (words: string) => void,
  pauseMs = 200,
): readonly [words: string, type: (words: string) => void] {
  const [typed, setTyped] = useState<string>();
  // Whom to tell when the pause is over: as things are then, not as they were when it began.
  const told = useRef(settle);
  useEffect(() => {
    told.current = settle;
  });
  useEffect(() => {
    if (typed === undefined) return;
    if (typed === kept) return setTyped(undefined);
    const soon = setTimeout(() => told.current(typed), pauseMs);
    return () => clearTimeout(soon);
  }, [typed, kept, pauseMs]);
  return [typed ?? kept, setTyped];
}
