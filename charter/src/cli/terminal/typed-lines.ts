import type { Lines } from "./lines.ts";

const { createInterface } = process.getBuiltinModule("node:readline");
const { Writable } = process.getBuiltinModule("node:stream");

type TypedLinesOptions = {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly prompt: string;
  /** What arrow-up brings back, newest first. */
  readonly history: readonly string[];
  /** Words that Tab completes. */
  readonly completions: readonly string[];
};

const more = "… ";
const pasting = { on: "\u001b[?2004h", off: "\u001b[?2004l" };

/**
 * Lines typed at a terminal, with history and editing. While an answer is shown what is typed stays out of sight: it is
 * there at the next prompt, and what was sent off by then is taken in turn. Several pasted lines are one input, and so
 * are lines that end in a backslash.
 */
export function typedLines({ input, output, prompt, history, completions }: TypedLinesOptions): Lines {
  let shown = true;
  const visible = new Writable({
    write: (chunk, _encoding, done) => {
      if (shown) output.write(chunk);
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
  let wanted: ((line: string | undefined) => void) | undefined;
  let stop: (() => void) | undefined;
  let asked: string | undefined;

  const clearLine = () => {
    pieces = [];
    typed.write(null, { ctrl: true, name: "e" });
    typed.write(null, { ctrl: true, name: "u" });
  };
  const give = (line: string | undefined) => {
    const ask = wanted;
    wanted = undefined;
    shown = false;
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
    if (wanted) give(whole);
    else ready.push(whole);
  });
  typed.on("SIGINT", () => {
    if (stop) stop();
    else if (typed.line === "" && pieces.length === 0) typed.close();
    else {
      clearLine();
      typed.setPrompt(asked ?? prompt);
      typed.prompt();
    }
  });
  typed.on("close", () => {
    ended = true;
    output.off("resize", resized);
    output.write(`${pasting.off}${wanted ? "\n" : ""}`);
    give(undefined);
  });

  return {
    next: () => {
      if (!ended) output.write("\n");
      const early = ready.shift();
      if (early !== undefined) output.write(`${prompt}${early.replaceAll("\n", `\n${more}`)}\n`);
      if (early !== undefined || ended) return Promise.resolve(early);
      return new Promise((resolve) => {
        wanted = resolve;
        shown = true;
        typed.prompt(true);
      });
    },
    onInterrupt: (what) => {
      stop = what;
    },
    ask: (question, signal) => {
      if (ended || signal?.aborted) return Promise.resolve(undefined);
      clearLine();
      asked = question;
      typed.setPrompt(question);
      return new Promise((resolve) => {
        const takeBack = () => {
          output.write("\n");
          give(undefined);
        };
        signal?.addEventListener("abort", takeBack, { once: true });
        wanted = (answer) => {
          signal?.removeEventListener("abort", takeBack);
          asked = undefined;
          typed.setPrompt(prompt);
          resolve(answer);
        };
        shown = true;
        typed.prompt();
      });
    },
    close: () => {
      if (!ended) typed.close();
    },
  };
}
