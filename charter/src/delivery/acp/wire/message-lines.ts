/** What reads a stream of bytes as messages, one a line. */
type MessageLines = {
  readonly push: (chunk: Buffer) => void;
};

type Listener = {
  readonly onMessage: (message: Readonly<Record<string, unknown>>) => void;
  /** What came is no line of JSON-RPC. Nothing is read after it. */
  readonly onGarbage: (why: string) => void;
};

const maxLineBytes = 32 * 1024 * 1024;

/** Splits bytes into lines and reads each as a message of JSON-RPC. A line of white space is none. */
export function createMessageLines({ onMessage, onGarbage }: Listener, maxBytes = maxLineBytes): MessageLines {
  let parts: Buffer[] = [];
  let size = 0;
  let isOver = false;
  const garbage = (why: string) => {
    isOver = true;
    parts = [];
    onGarbage(why);
  };
  const take = (piece: Buffer) => {
    size += piece.length;
    if (size > maxBytes) garbage(`a line of more than ${maxBytes / 1024 / 1024} MiB`);
    else parts.push(piece);
  };
  const finish = () => {
    const line = Buffer.concat(parts).toString("utf8").trim();
    parts = [];
    size = 0;
    if (line === "") return;
    const message = messageIn(line);
    if (message === undefined) garbage(`a line that is no message: ${JSON.stringify(line.slice(0, 80))}`);
    else onMessage(message);
  };
  return {
    push: (chunk) => {
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1 && !isOver; end = chunk.indexOf(10, from)) {
        take(chunk.subarray(from, end));
        if (!isOver) finish();
        from = end + 1;
      }
      if (!isOver && from < chunk.length) take(chunk.subarray(from));
    },
  };
}

function messageIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isMessage(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A request, a notification or a response; whether its method is known or its fields make sense is said later. */
function isMessage(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { jsonrpc, method, id } = value as Readonly<Record<string, unknown>>;
  if (jsonrpc !== "2.0") return false;
  const isId = id === null || typeof id === "string" || typeof id === "number";
  return "method" in value ? typeof method === "string" && (!("id" in value) || isId) : "id" in value && isId;
}
