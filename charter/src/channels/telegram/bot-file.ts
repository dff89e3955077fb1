import type { BotAnswer, BotFault } from "./bot-api.ts";
import { callTimeoutSeconds } from "./bot-api.ts";

/** The bytes of a file that Telegram keeps, by the path it gave; or that there are more than so many. */
export type DownloadBotFile = (
  path: string,
  maxBytes: number,
  signal: AbortSignal,
) => Promise<BotAnswer<Uint8Array | "too-large">>;

type BotFileOptions = {
  readonly token: string;
  readonly apiRoot?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Whatever is still read then is called off. */
  readonly ending: AbortSignal;
};

/** What comes of it is a value: the address holds the token, and what fetch throws may hold the address. */
export function createBotFileDownload(options: BotFileOptions): DownloadBotFile {
  const { token, apiRoot = "https://api.telegram.org", ending, fetch = globalThis.fetch } = options;
  const root = `${apiRoot.replace(/\/+$/, "")}/file/bot${token}`;
  return async (path, maxBytes, signal) => {
    const parts = path.split("/");
    // A server that keeps files on its own disk gives a path there. Such are not read.
    if (parts.some((part) => part === "" || part === "." || part === ".."))
      return { fault: { kind: "refused", reason: "a file at a path that is none" } };
    const late = AbortSignal.timeout(callTimeoutSeconds * 1000);
    try {
      const url = `${root}/${parts.map(encodeURIComponent).join("/")}`;
      const response = await fetch(url, { redirect: "error", signal: AbortSignal.any([late, ending, signal]) });
      if (!response.ok) {
        await response.body?.cancel();
        return { fault: faultOf(response) };
      }
      return { result: await readUpTo(response, maxBytes) };
    } catch (error) {
      const { code, cause } = Object(error) as { code?: unknown; cause?: { code?: unknown } };
      const why = cause?.code ?? code;
      return { fault: { kind: "unreachable", reason: `no file${typeof why === "string" ? ` (${why})` : ""}` } };
    }
  };
}

function faultOf({ status, headers }: Response): BotFault {
  const reason = `${status} for a file`;
  const seconds = Number(headers.get("retry-after"));
  if (status === 429) return { kind: "busy", reason, afterMs: (seconds > 0 ? seconds : 1) * 1000 };
  return { kind: status >= 500 ? "unreachable" : "refused", reason };
}

/** Whatever a server says of its length: no more is taken in than may be. */
async function readUpTo({ body, headers }: Response, maxBytes: number): Promise<Uint8Array | "too-large"> {
  if (Number(headers.get("content-length")) > maxBytes) {
    await body?.cancel();
    return "too-large";
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) return "too-large";
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
