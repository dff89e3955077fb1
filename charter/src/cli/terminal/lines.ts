import { Problem } from "../../prompt/problem.ts";

/** Source of a person's inputs. */
export type Lines = {
  /** Returns the next input; undefined if there are no more. */
  readonly next: () => Promise<string | undefined>;
  /** Sets what Ctrl-C stops from now on; without it, Ctrl-C leaves. */
  readonly onInterrupt: (stop: (() => void) | undefined) => void;
  /** Asks the person one question, if there is one. Text that was typed before is not taken for the answer. */
  readonly ask?: AskQuestion;
  readonly close: () => void;
};

/** Asks the person who types; undefined if they left, or the answer is not needed any more. */
export type AskQuestion = (question: string, signal?: AbortSignal) => Promise<string | undefined>;

/** Part of a process that reports Ctrl-C. */
type Interrupts = {
  readonly on: (signal: "SIGINT", listener: () => void) => unknown;
  readonly off: (signal: "SIGINT", listener: () => void) => unknown;
};

/** Reads lines of a pipe or a file as they come. Invalid UTF-8 is a Problem, because a guess could change the meaning. */
export function pipedLines(input: Input, interrupts: Interrupts): Lines {
  return withInterrupts(linesOf(input), interrupts, () => input.destroy());
}

/** Stream that is released when reading stops, without waiting for the rest of a pipe. */
type Input = AsyncIterable<Uint8Array> & { readonly destroy: () => unknown };

/** Lines from given texts. */
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

/** Adds Ctrl-C: it stops the running turn, and ends the input. */
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
      const stopped = new Promise<undefined>((resolve) => {
        end = () => resolve(undefined);
      });
      const line = await Promise.race([lines.next().then(({ value, done }) => (done ? undefined : value)), stopped]);
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

const { createInterface } = process.getBuiltinModule("node:readline");
const { Writable } = process.getBuiltinModule("node:stream");

type TypedLinesOptions = {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly prompt: string;
  /** Inputs that arrow-up brings back, newest first. */
  readonly history: readonly string[];
  /** Words that Tab completes. */
  readonly completions: readonly string[];
};

const more = "… ";
const pasting = { on: "\u001b[?2004h", off: "\u001b[?2004l" };

/**
 * Reads lines typed at a terminal, with history and editing. While an answer is shown, typed text stays hidden: it appears at the
 * next prompt, and lines that were sent off by then are taken in turn. Several pasted lines are one input, and so are lines that
 * end in a backslash.
 */
export function typedLines({ input, output, prompt, history, completions }: TypedLinesOptions): Lines {
  let isVisible = true;
  const visible = new Writable({
    write: (chunk, _encoding, done) => {
      if (isVisible) output.write(chunk);
      done();
    },
  });
  Object.defineProperties(visible, {
    isTTY: { value: true },
    columns: { get: () => output.columns },
    rows: { get: () => output.rows },
  });
  const resized = () => visible.emit("resize");
  output.on("resize", resized);
  const typed = createInterface({
    input,
    output: visible,
    terminal: true,
    prompt,
    history: [...history],
    historySize: 500,
    removeHistoryDuplicates: true,
    completer: (line: string) => [completions.filter((word) => line !== "" && word.startsWith(line)), line],
  });
  output.write(pasting.on);

  const ready: string[] = [];
  let pieces: string[] = [];
  let pasted = false;
  let ended = false;
  let waiting: ((line: string | undefined) => void) | undefined;
  let stop: (() => void) | undefined;
  let openQuestion: string | undefined;

  const clearLine = () => {
    pieces = [];
    typed.write(null, { ctrl: true, name: "e" });
    typed.write(null, { ctrl: true, name: "u" });
  };
  const give = (line: string | undefined) => {
    const ask = waiting;
    waiting = undefined;
    isVisible = false;
    ask?.(line);
  };
  input.on("keypress", (_text: unknown, key: { name?: string } | undefined) => {
    if (key?.name === "paste-start") pasted = true;
    if (key?.name === "paste-end") pasted = false;
  });
  typed.on("line", (line) => {
    const goesOn = line.endsWith("\\");
    if (pasted || goesOn) {
      pieces.push(goesOn && !pasted ? line.slice(0, -1) : line);
      typed.setPrompt(more);
      typed.prompt();
      return;
    }
    const whole = [...pieces, line].join("\n");
    pieces = [];
    typed.setPrompt(prompt);
    if (waiting) give(whole);
    else ready.push(whole);
  });
  typed.on("SIGINT", () => {
    if (stop) stop();
    else if (typed.line === "" && pieces.length === 0) typed.close();
    else {
      clearLine();
      typed.setPrompt(openQuestion ?? prompt);
      typed.prompt();
    }
  });
  typed.on("close", () => {
    ended = true;
    output.off("resize", resized);
    output.write(`${pasting.off}${waiting ? "\n" : ""}`);
    give(undefined);
  });

  return {
    next: () => {
      if (!ended) output.write("\n");
      const early = ready.shift();
      if (early !== undefined) output.write(`${prompt}${early.replaceAll("\n", `\n${more}`)}\n`);
      if (early !== undefined || ended) return Promise.resolve(early);
      return new Promise((resolve) => {
        waiting = resolve;
        isVisible = true;
        typed.prompt(true);
      });
    },
    onInterrupt: (what) => {
      stop = what;
    },
    ask: (question, signal) => {
      if (ended || signal?.aborted) return Promise.resolve(undefined);
      clearLine();
      openQuestion = question;
      typed.setPrompt(question);
      return new Promise((resolve) => {
        const takeBack = () => {
          output.write("\n");
          give(undefined);
        };
        signal?.addEventListener("abort", takeBack, { once: true });
        waiting = (answer) => {
          signal?.removeEventListener("abort", takeBack);
          openQuestion = undefined;
          typed.setPrompt(prompt);
          resolve(answer);
        };
        isVisible = true;
        typed.prompt();
      });
    },
    close: () => {
      if (!ended) typed.close();
    },
  };
}
