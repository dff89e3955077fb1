/** One entry of the log: names, numbers and codes; never anyone's text or a token. */
export type LogEntry = Readonly<Record<string, unknown>>;

/** A function that is called with each entry of the log. */
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

/** A request that was answered, a run or a turn that came to its end: what happens all day. */
function isRoutine({ status, kind, state }: LogEntry): boolean {
  if (typeof status === "number") return status < 500;
  const ends = kind === "run-end" || kind === "turn";
  return kind === "planned" || kind === "run-start" || (ends && (state === "answered" || state === "quiet"));
}

/** An error nobody foresaw: its kind and where it came from. What it says may be someone's words, and is left out. */
export type Failure = { readonly name: string; readonly code?: string; readonly at: readonly string[] };

/** One line of JSON that no terminal takes for anything else, whatever is in it. */
export function logLine(entry: LogEntry): string {
  return JSON.stringify(entry).replace(/[^\x20-\x7e]/g, escaped);
}

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

export function failureOf(thrown: unknown): Failure {
  if (!(thrown instanceof Error)) return { name: typeof thrown, at: [] };
  const { code } = thrown as { code?: unknown };
  const known = typeof code === "string" && /^[\w-]{1,60}$/.test(code);
  return { name: thrown.constructor.name, ...(known && { code }), at: framesOf(thrown) };
}

/** Where it was thrown. A stack begins with what the error says: where that cannot be told apart, there are no frames. */
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

/** A stream of Node, as far as a log needs it. */
type LogTarget = {
  readonly write: (line: string, written: (error?: Error | null) => void) => unknown;
  readonly on: (event: "error", listener: () => void) => unknown;
};

/** Where the lines of a log go. */
type LogStream = {
  readonly write: (line: string) => void;
  /** How many lines could not be written. */
  readonly lost: () => number;
};

/**
 * A stream for a log. Its disk may be full or broken, and nobody may read it: a line that cannot be written is dropped and
 * counted, and the process goes on.
 */
export function createLogStream(stream: LogTarget): LogStream {
  let lost = 0;
  // Without a listener, an error of the stream would end the process. Which line it was, each line's callback says.
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
