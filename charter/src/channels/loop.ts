import { backoffMs } from "../prompt/bounds.ts";
/** Waits, or less when the signal says so. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Rounds of work, one after the other. */
type Loop = {
  readonly start: () => void;
  /** There is something to do: the next round begins now, or right after this one. */
  readonly wake: () => void;
  /** The round that runs hears of it by its signal, and is waited for. */
  readonly stop: () => Promise<void>;
};

type LoopOptions = {
  /** Gives the milliseconds until the next one. What it throws is told, and it is tried again later and later. */
  readonly round: (signal: AbortSignal) => Promise<number>;
  readonly onError: (error: unknown) => void;
  readonly sleep: Sleep;
  readonly random: () => number;
};

export function createLoop({ round, onError: failed, sleep, random }: LoopOptions): Loop {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let woken = false;
  let asleep: AbortController | undefined;
  const run = async () => {
    for (let failures = 0; !stopping.signal.aborted; ) {
      woken = false;
      let pause: number;
      try {
        pause = await round(stopping.signal);
        failures = 0;
      } catch (error) {
        if (stopping.signal.aborted) return;
        failed(error);
        pause = backoffMs(failures++, random);
        woken = false;
      }
      if (pause <= 0 || woken) continue;
      asleep = new AbortController();
      await sleep(pause, AbortSignal.any([asleep.signal, stopping.signal]));
      asleep = undefined;
    }
  };
  return {
    start: () => {
      running ??= run();
    },
    wake: () => {
      woken = true;
      asleep?.abort();
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

/** Does something again and again, first after a while, until the function it gives back is called. What fails is left. */
export function repeatEvery(milliseconds: number, work: () => Promise<unknown>, sleep: Sleep): () => void {
  const over = new AbortController();
  const run = async () => {
    for (;;) {
      await sleep(milliseconds, over.signal);
      if (over.signal.aborted) return;
      await work().catch(() => {});
    }
  };
  void run();
  return () => over.abort();
}
