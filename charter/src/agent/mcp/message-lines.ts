type ReaderOptions = {
  /** A longer line is passed over; whoever waits for it is told. */
  readonly maxBytes: number;
  readonly onMessage: (value: unknown) => void;
};

const lineEnd = 10;
/** Where the id of a message is looked for that is too long to be read: servers write it first or last. */
const edge = 256;

/**
 * Reads messages, one a line. What is no JSON is passed over, since programs print what they like. Of a line that is too
 * long only its edges are kept, to find out which request it answers: that request fails, and the server lives on.
 */
export function createMessageReader({ maxBytes, onMessage }: ReaderOptions): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  let bytes = 0;
  const add = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes <= maxBytes) pieces.push(piece);
    else pieces = edgesOf([...pieces, piece]);
  };
  const endLine = () => {
    const line = Buffer.concat(pieces).toString("utf8").trim();
    const tooLong = bytes > maxBytes;
    pieces = [];
    bytes = 0;
    if (tooLong) {
      const id = idIn(line);
      if (id !== undefined) onMessage(tooLarge(id, maxBytes));
      return;
    }
    const value = messageIn(line);
    if (value !== undefined) onMessage(value);
  };
  return (chunk) => {
    for (let rest = chunk; rest.length > 0; ) {
      const end = rest.indexOf(lineEnd);
      add(end === -1 ? rest : rest.subarray(0, end));
      if (end === -1) return;
      endLine();
      rest = rest.subarray(end + 1);
    }
  };
}

/** The answer that takes the place of one that is too large. */
export function tooLarge(id: number | string, maxBytes: number): object {
  return { jsonrpc: "2.0", id, error: { code: tooLargeCode, message: `larger than ${maxBytes} bytes` } };
}

/** Not one of JSON-RPC's own codes: the answer was there, and was not read. */
export const tooLargeCode = -32_099;

function edgesOf(pieces: readonly Buffer[]): Buffer[] {
  const whole = Buffer.concat(pieces);
  if (whole.length <= 2 * edge) return [whole];
  return [Buffer.from(whole.subarray(0, edge)), Buffer.from(whole.subarray(-edge))];
}

function idIn(line: string): number | string | undefined {
  const near =
    /^\{"jsonrpc":"2\.0","id":(\d{1,15}|"[\w-]{1,64}"),/.exec(line) ?? /,"id":(\d{1,15}|"[\w-]{1,64}")\}$/.exec(line);
  return near?.[1] === undefined ? undefined : (JSON.parse(near[1]) as number | string);
}

function messageIn(line: string): unknown {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
