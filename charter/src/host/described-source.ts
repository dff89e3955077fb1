import { printable } from "../agent/workspace/limits.ts";
import { commandEnvironment, runCommand } from "../agent/workspace/run-command.ts";
import { withinOrigin } from "../delivery/models/provider.ts";
import { firstCharacters, oneLine } from "../prompt/character.ts";
import { fromText, type Reading, type Source, type Trust, unavailable } from "../prompt/reading.ts";
import type { ReadResource } from "./agent-mcp.ts";

/** What is read from outside, as data: an address, a command, or a resource of an MCP server. */
export type DescribedSource = UrlSource | CommandSource | McpSource;

export type DescribedUse = {
  /** The most that its words are trusted: `foreign`, unless given. */
  readonly trust?: Trust;
  /** Maximum size of what it says, in bytes: 65536, unless given. What says more is unavailable. */
  readonly maxBytes?: number;
  /** Maximum time it may take, in milliseconds: 10000, unless given. The agent's `sourceSeconds` holds as well. */
  readonly timeoutMs?: number;
};

/** A text at an address, fetched each turn. */
export type UrlSource = DescribedUse & {
  /** The address, of http or https. Redirects are followed on the same server alone. */
  readonly url: string;
  /** Headers sent with each request, for a key. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** The standard output of a command, run each turn. */
export type CommandSource = DescribedUse & {
  /** The program and its arguments. No shell reads them, and variables that look like secrets are not handed on. */
  readonly command: readonly string[];
  /** The directory it is started in. */
  readonly cwd?: string;
};

/** A resource of an MCP server, read each turn. */
export type McpSource = DescribedUse & {
  /** The server, by its name in the setting `mcp`. */
  readonly mcp: string;
  /** The resource, as its server calls it. */
  readonly uri: string;
};

/** Limits of a source that gives none. */
const usual = { maxBytes: 65_536, timeoutMs: 10_000 } as const;

/**
 * Makes a source of its description. It is read each turn; as long as it says the same, its reading is the same object. What
 * keeps it from being read is a reason without addresses and headers, since there may be a key in them.
 */
export function describedSource(entry: DescribedSource, readResource: ReadResource): Source {
  let last: { readonly text: string; readonly reading: Reading } | undefined;
  const readNow = () => {
    if ("url" in entry) return readUrl({ ...usual, ...entry });
    return "mcp" in entry ? readMcp({ ...usual, ...entry }, readResource) : readCommand({ ...usual, ...entry });
  };
  return async () => {
    const read = await readNow();
    if ("reason" in read) return unavailable(read.reason);
    if (last?.text !== read.text) last = { text: read.text, reading: fromText(read.text) };
    return last.reading;
  };
}

type Read = { readonly text: string } | { readonly reason: string };

type Bounds = typeof usual | { readonly maxBytes: number; readonly timeoutMs: number };

async function readUrl({ url, headers, maxBytes, timeoutMs }: UrlSource & Bounds): Promise<Read> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await withinOrigin()(url, { headers: { ...headers }, signal });
    const { status, body } = response;
    if (status === 200) return textOf(await bytesOf(body ?? [], maxBytes), maxBytes);
    await body?.cancel();
    if (status === 204) return { text: "" };
    const elsewhere = status >= 300 && status < 400 && response.headers.has("location");
    return {
      reason: elsewhere
        ? `its server sends requests elsewhere (${status}), and they do not go there`
        : `its server answered ${status}`,
    };
  } catch (error) {
    return { reason: whyNotFetched(error, timeoutMs) };
  }
}

/** Says why nothing was fetched. The error's own message is left out: it may quote a header. */
function whyNotFetched(error: unknown, timeoutMs: number): string {
  const { name, cause } = Object(error) as { readonly name?: unknown; readonly cause?: unknown };
  if (name === "TimeoutError") return `its server did not answer in ${timeoutMs / 1000} s`;
  const { code } = Object(cause) as { readonly code?: unknown };
  return `its server cannot be reached${typeof code === "string" && /^\w+$/.test(code) ? ` (${code})` : ""}`;
}

/** Reads a body to its end; undefined if it is larger than it may be, whatever of it has not come yet. */
async function bytesOf(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function textOf(bytes: Buffer | undefined, maxBytes: number): Read {
  if (bytes === undefined) return { reason: `it is larger than ${maxBytes} bytes` };
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? { reason: "it is no text" } : { text: printable(text).trimEnd() };
  } catch {
    return { reason: "it is no text in UTF-8" };
  }
}

async function readMcp({ mcp, uri, maxBytes, timeoutMs }: McpSource & Bounds, read: ReadResource): Promise<Read> {
  const resource = await read(mcp, uri, timeoutMs);
  if (resource.status === "unavailable")
    return { reason: `the MCP server “${mcp}” is unavailable: ${resource.because}` };
  const bytes = Buffer.from(resource.text);
  return textOf(bytes.length > maxBytes ? undefined : bytes, maxBytes);
}

/** Maximum bytes of standard error that are kept, and characters of its first line that are told. */
const maxError = { bytes: 4096, chars: 200 } as const;

async function readCommand({ command, cwd = ".", maxBytes, timeoutMs }: CommandSource & Bounds): Promise<Read> {
  const tooLarge = new AbortController();
  const printed: Buffer[] = [];
  const complaint: Buffer[] = [];
  const ended = await runCommand({
    ...{ words: command, cwd, env: commandEnvironment(process.env), seconds: timeoutMs / 1000 },
    signal: tooLarge.signal,
    onOutput: (chunk) => {
      if (sizeOf(printed) <= maxBytes) printed.push(chunk);
      if (sizeOf(printed) > maxBytes) tooLarge.abort();
    },
    onError: (chunk) => {
      if (sizeOf(complaint) < maxError.bytes) complaint.push(chunk.subarray(0, maxError.bytes));
    },
  });
  if (tooLarge.signal.aborted) return textOf(undefined, maxBytes);
  if (ended.kind === "exited" && ended.code === 0) return textOf(Buffer.concat(printed), maxBytes);
  return { reason: [whyFailed(ended, timeoutMs), ...quotedLine(complaint)].join(": ") };
}

function sizeOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

function whyFailed(ended: Awaited<ReturnType<typeof runCommand>>, timeoutMs: number): string {
  switch (ended.kind) {
    case "exited":
      return `its command failed with exit code ${ended.code}`;
    case "killed":
      return `its command was ended by ${ended.signal}`;
    case "not-run":
      return `its command could not be started (${ended.reason})`;
    default:
      return `its command did not end in ${timeoutMs / 1000} s`;
  }
}

/** Quotes the first line of what a command complained of: its own words, which only operators see, in the notice. */
function quotedLine(chunks: readonly Buffer[]): string[] {
  const line = printable(Buffer.concat(chunks).toString("utf8"))
    .split("\n")
    .find((one) => one.trim() !== "");
  return line === undefined ? [] : [`“${firstCharacters(oneLine(line), maxError.chars)}”`];
}
