/** Entry of the log: names, numbers and codes; never anyone's text or a token. */
export type LogEntry = Readonly<Record<string, unknown>>;

/** Function that is called with each entry of the log. */
export type Log = (entry: LogEntry) => void;

/** Creates a log that writes one line of JSON for each entry, or only for problems. */
export function createLog(
  write: (line: string) => void,
  which: "all" | "problems" = "all",
  clock: () => Date = () => new Date(),
): Log {
  return (entry) => {
    if (which === "problems" && isRoutine(entry)) return;
    write(`${logLine({ time: clock().toISOString(), ...entry })}\n`);
  };
}

/** Recognises entries of normal operation: an answered request, a run or a turn that ended well. */
function isRoutine({ status, kind, state }: LogEntry): boolean {
  if (typeof status === "number") return status < 500;
  const ends = kind === "run-end" || kind === "turn";
  return kind === "planned" || kind === "run-start" || (ends && (state === "answered" || state === "quiet"));
}

/** An unexpected error, with its kind and where it was thrown. Its message is left out, because it may contain someone's text. */
type Failure = { readonly name: string; readonly code?: string; readonly at: readonly string[] };

/** Formats an entry as one line of JSON, with every other character escaped, so that it is harmless in a terminal. */
function logLine(entry: LogEntry): string {
  return JSON.stringify(entry).replace(/[^\x20-\x7e]/g, escaped);
}

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

export function failureOf(thrown: unknown): Failure {
  if (!(thrown instanceof Error)) return { name: typeof thrown, at: [] };
  const { code } = thrown as { code?: unknown };
  const known = typeof code === "string" && /^[\w-]{1,60}$/.test(code);
  return { name: thrown.constructor.name, ...(known && { code }), at: framesOf(thrown) };
}

/** Stack frames of an error. A stack begins with the message; if that cannot be cut off, there are no frames. */
function framesOf(error: Error): string[] {
  const stack = String(error.stack ?? "");
  const head = [`${error.name}: ${error.message}`, error.name].find((words) => stack.startsWith(`${words}\n`));
  if (head === undefined) return [];
  const lines = stack
    .slice(head.length + 1)
    .split("\n")
    .slice(0, 10);
  return lines.map((line) => line.trim()).filter((line) => line.startsWith("at "));
}

/** Stream of Node, as far as a log needs it. */
type LogTarget = {
  readonly write: (line: string, written: (error?: Error | null) => void) => unknown;
  readonly on: (event: "error", listener: () => void) => unknown;
};

/** Stream that writes the lines of a log. */
type LogStream = {
  readonly write: (line: string) => void;
  /** Number of lines that could not be written. */
  readonly lost: () => number;
};

/**
 * Creates a stream for a log. If its disk is full or broken, or nobody reads it, lines are dropped and counted, and the process
 * goes on.
 */
export function createLogStream(stream: LogTarget): LogStream {
  let lost = 0;
  // Listen to errors of the stream, which would end the process otherwise. Each line's callback counts them.
  stream.on("error", () => {});
  return {
    write: (line) => {
      stream.write(line, (error) => {
        if (error) lost++;
      });
    },
    lost: () => lost,
  };
}
