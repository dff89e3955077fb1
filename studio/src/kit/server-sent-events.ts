/** The server says at least something every half minute: a line that is silent for longer is dead. */
export const silenceMs = 40_000;

/** Server-sent events out of a body, one by one, as they come. A line that means nothing is told as undefined. */
export async function* serverSentEvents(
  body: ReadableStream<Uint8Array>,
  maxSilentMs = silenceMs,
): AsyncGenerator<ServerSentEvent | undefined> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await unlessSilent(reader.read(), maxSilentMs);
      if (done) return;
      // By its line feeds alone: what else ends a line in a pattern may stand in anyone's words.
      const all = (rest + value).split("\n\n");
      rest = all.pop() as string;
      for (const one of all) yield eventIn(one);
    }
  } finally {
    // Whoever stops listening is not sent more.
    reader.cancel().catch(() => {});
  }
}

/** A line nobody is at the other end of neither says anything nor ends by itself. */
async function unlessSilent<Read>(reading: Promise<Read>, ms: number): Promise<Read> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silent = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The line is silent.")), ms);
  });
  try {
    return await Promise.race([reading, silent]);
  } finally {
    clearTimeout(timer);
  }
}

export type ServerSentEvent = {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly data: string;
};

function eventIn(words: string): ServerSentEvent | undefined {
  const field = (start: string) =>
    words
      .split("\n")
      .find((line) => line.startsWith(start))
      ?.slice(start.length);
  const data = field("data: ");
  return data === undefined ? undefined : { id: field("id: "), name: field("event: "), data };
}
