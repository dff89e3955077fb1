type Look = (words: string) => void;

const lookers = new Set<Look>();
const streams = [process.stdout, process.stderr];
let restore = () => {};

/** What anyone writes to the terminal, a library say, is looked at as well. Gives back what stops it. */
export function watchOutput(look: Look): () => void {
  if (lookers.size === 0) watch();
  lookers.add(look);
  return () => {
    lookers.delete(look);
    if (lookers.size === 0) restore();
  };
}

function watch(): void {
  const writes = streams.map((stream) => stream.write);
  for (const [at, stream] of streams.entries())
    stream.write = ((chunk: string | Uint8Array, ...rest: never[]) => {
      const words = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
      for (const look of lookers) look(words);
      return (writes[at] as typeof stream.write).call(stream, chunk, ...rest);
    }) as typeof stream.write;
  restore = () => {
    for (const [at, stream] of streams.entries()) stream.write = writes[at] as typeof stream.write;
  };
}
