import { Problem } from "../../prompt/problem.ts";

/** Where a person's words come from, one input at a time. */
export type Lines = {
  /** The next input; nothing when there is no more. */
  readonly next: () => Promise<string | undefined>;
  /** What Ctrl-C stops from now on; without it, Ctrl-C leaves. */
  readonly onInterrupt: (stop: (() => void) | undefined) => void;
  /** Where somebody sits there: the answer to one question. What was typed before it was asked is none. */
  readonly ask?: AskQuestion;
  readonly close: () => void;
};

/** Asks whoever types; nothing when they left, or no answer is wanted any more. */
export type AskQuestion = (question: string, signal?: AbortSignal) => Promise<string | undefined>;

/** What of a process tells that somebody pressed Ctrl-C. */
type Interrupts = {
  readonly on: (signal: "SIGINT", listener: () => void) => unknown;
  readonly off: (signal: "SIGINT", listener: () => void) => unknown;
};

/** Lines of a pipe or a file, as they come. Bytes that are no UTF-8 are a Problem: nobody guesses what was meant. */
export function pipedLines(input: Input, interrupts: Interrupts): Lines {
  return withInterrupts(linesOf(input), interrupts, () => input.destroy());
}

/** Whoever stops reading lets go of it: nobody waits for the rest of a pipe. */
type Input = AsyncIterable<Uint8Array> & { readonly destroy: () => unknown };

/** Words that are known beforehand. */
export function fixedLines(words: readonly string[], interrupts: Interrupts): Lines {
  const each = words.values();
  return withInterrupts(
    (async function* () {
      yield* each;
    })(),
    interrupts,
  );
}

async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (bytes?: Uint8Array) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw new Problem(
        "bad-encoding",
        "Standard input is not UTF-8.",
        "Save it as UTF-8; Charter never guesses an encoding.",
      );
    }
  };
  let rest = "";
  for await (const bytes of input) {
    const lines = (rest + decode(bytes)).split("\n");
    rest = lines.pop() as string;
    for (const line of lines) yield line.replace(/\r$/, "");
  }
  rest += decode();
  if (rest !== "") yield rest;
}

/** The turn that runs is stopped, and no more input is taken. */
function withInterrupts(lines: AsyncGenerator<string>, interrupts: Interrupts, letGo = () => {}): Lines {
  let stop: (() => void) | undefined;
  let ended = false;
  let end: (() => void) | undefined;
  const interrupted = () => {
    ended = true;
    stop?.();
    end?.();
  };
  interrupts.on("SIGINT", interrupted);
  return {
    next: async () => {
      if (ended) return undefined;
      const over = new Promise<undefined>((resolve) => {
        end = () => resolve(undefined);
      });
      const line = await Promise.race([lines.next().then(({ value, done }) => (done ? undefined : value)), over]);
      return ended ? undefined : line;
    },
    onInterrupt: (what) => {
      stop = what;
    },
    close: () => {
      interrupts.off("SIGINT", interrupted);
      letGo();
    },
  };
}
