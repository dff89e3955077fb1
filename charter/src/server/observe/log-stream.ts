import type { Writable } from "node:stream";

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
export function createLogStream(stream: Writable): LogStream {
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
