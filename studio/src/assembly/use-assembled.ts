import { useCallback, useEffect, useRef, useState } from "react";
import { askWorker } from "./ask-worker.ts";
import type { Assembled, Range, Wanted } from "./assembled.ts";
import { rowsIn } from "./columns.ts";
import { useGeneration } from "./generation.ts";
import type { Packed } from "./message.ts";
import { createNewest, type Newest } from "./newest.ts";

/** `problem`: what cannot give way and does not fit, or what the server said; `data` is then the last that could be made. */
export type Assembling = {
  readonly data: Assembled | undefined;
  readonly problem: Error | undefined;
  readonly busy: boolean;
  readonly again: () => void;
};

type Wish = { readonly wanted: Wanted; readonly generation: number };
type State = Omit<Assembling, "again"> & { readonly agent: string; readonly user?: string | undefined };

/**
 * A prompt as it would be: gathered by the server, assembled in a worker here, anew whenever something happens. The
 * newest wish is the one that is answered; where nothing is wanted, nothing is made.
 */
export function useAssembled(wanted: Wanted | undefined): Assembling {
  const { agent, user, channel, at, edition, tokens }: Wanted = wanted ?? { agent: "" };
  const generation = useGeneration(agent);
  const [tries, setTries] = useState(0);
  const [state, setState] = useState<State>({ agent, data: undefined, problem: undefined, busy: true });
  const newest = useRef<Newest<Wish>>(undefined);
  useEffect(() => {
    newest.current = createNewest(assembleOrWhole, ({ wish, last, ...outcome }) =>
      setState((before) => {
        const { agent, user } = wish.wanted;
        const kept = before.agent === agent && before.user === user ? before.data : undefined;
        const { data, problem, whole }: Partial<Made> = "answer" in outcome ? outcome.answer : outcome;
        return { agent, user, busy: !last, problem, data: data ?? kept ?? whole };
      }),
    );
    return () => newest.current?.close();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever tries again wants the same once more.
  useEffect(() => {
    if (agent === "") return;
    setState((before) => (before.busy ? before : { ...before, busy: true }));
    newest.current?.want({ wanted: { agent, user, channel, at, edition, tokens }, generation });
  }, [agent, user, channel, at, edition, tokens, generation, tries]);
  const again = useCallback(() => setTries((before) => before + 1), []);
  const current = state.agent === agent && state.user === user;
  return current ? { ...state, again } : { data: undefined, problem: undefined, busy: true, again };
}

type Made = {
  readonly data?: Assembled;
  readonly problem?: Error;
  /** The prompt without the limit it does not fit: what is looked at where nothing was made before. */
  readonly whole?: Assembled;
};

async function assembleOrWhole(wish: Wish): Promise<Made> {
  try {
    return { data: await assembled(wish) };
  } catch (problem) {
    const { tokens, ...boundless } = wish.wanted;
    if (tokens === undefined) throw problem;
    return { problem: problem as Error, whole: await assembled({ ...wish, wanted: boundless }) };
  }
}

async function assembled(wish: Wish): Promise<Assembled> {
  return unpacked(await askWorker({ kind: "assemble", ...wish }));
}

function unpacked({ sections, cuts, omitted, ...others }: Packed): Assembled {
  return { ...others, sections: rowsIn(sections), cuts: rowsIn(cuts), omitted: rowsIn(omitted) };
}

/** Between which limits there is something to see; undefined until it is known, and where no limit fits. */
export function useRange(wanted: Wanted | undefined): Range | undefined {
  const { agent, user, channel, at, edition }: Wanted = wanted ?? { agent: "" };
  const generation = useGeneration(agent);
  const [known, setKnown] = useState<{ agent: string; user: string | undefined; range: Range | undefined }>();
  useEffect(() => {
    if (agent === "") return undefined;
    let left = false;
    askWorker({ kind: "range", wanted: { agent, user, channel, at, edition }, generation }).then(
      (range) => left || setKnown({ agent, user, range }),
      () => left || setKnown(undefined),
    );
    return () => {
      left = true;
    };
  }, [agent, user, channel, at, edition, generation]);
  return known?.agent === agent && known.user === user ? known.range : undefined;
}
