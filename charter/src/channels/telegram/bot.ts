import type { Api } from "grammy";
import type { Host } from "../../host/host.ts";
import { loadPackage } from "../../packages/load-package.ts";
import { backoffMs } from "../../prompt/bounds.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Sleep } from "../loop.ts";
import type { UserPage } from "./wording.ts";

export const channel = "telegram";

/** One bot of one agent, and all that its parts share. */
export type Bot = {
  readonly host: Host;
  readonly agent: string;
  /** The bot's own number: the first half of its token, which is no secret. */
  readonly number: string;
  readonly ask: CallBotApi;
  readonly download: DownloadBotFile;
  readonly page?: UserPage | undefined;
  readonly clock: () => Date;
  readonly sleep: Sleep;
  readonly random: () => number;
  /** Tells the operator; never a user's words, nor the token. */
  readonly log: (kind: string, about?: Readonly<Record<string, unknown>>) => void;
  /** Something that is done on the side: nobody waits for it but the end, and it never fails. */
  readonly runInBackground: (work: (signal: AbortSignal) => Promise<unknown>) => void;
};

/** Tries a call a few times. For what is good to have, and no loss when Telegram is away for longer. */
export async function callWithRetry<Result>(
  { sleep, random }: Pick<Bot, "sleep" | "random">,
  signal: AbortSignal,
  call: () => Promise<BotAnswer<Result>>,
): Promise<BotAnswer<Result>> {
  for (let tries = 0; ; tries++) {
    const answer = await call();
    const passing = answer.fault?.kind === "unreachable" || answer.fault?.kind === "busy";
    if (!passing || tries === 3 || signal.aborted) return answer;
    await sleep(answer.fault.afterMs ?? backoffMs(tries, random), signal);
  }
}

/**
 * A message as Telegram is given it. No preview of links: to make one Telegram's servers open them, and a model that was
 * talked into writing a user's words into an address would have sent them there.
 */
export function messageTo(address: string, text: string) {
  return { chat_id: Number(address), text, link_preview_options: { is_disabled: true } } as const;
}

/** Says something to a chat without a row anywhere: it is lost if Telegram is away. */
export function sendText(bot: Bot, address: string, text: string): void {
  bot.runInBackground(async (signal) => {
    const { fault } = await callWithRetry(bot, signal, () =>
      bot.ask((api) => api.sendMessage(messageTo(address, text))),
    );
    if (fault) bot.log("telegram-unsent", { reason: fault.reason });
  });
}

/** Why a call of the Bot API came to nothing. `reason` holds no token, no address and nobody's words. */
export type BotFault = {
  readonly kind: "unreachable" | "busy" | "unauthorised" | "conflict" | "refused";
  readonly reason: string;
  /** When Telegram wants to hear of us again. */
  readonly afterMs?: number;
};

type BotAnswer<Result> =
  | { readonly result: Result; readonly fault?: undefined }
  | { readonly fault: BotFault; readonly result?: undefined };

/** Calls the Bot API. What comes of it is a value: nothing that grammY throws gets any further, since it holds the token. */
type CallBotApi = <Result>(call: (api: Api["raw"]) => Promise<Result>) => Promise<BotAnswer<Result>>;

type BotApiOptions = {
  readonly token: string;
  readonly apiRoot?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Whatever is still asked then is called off. */
  readonly ending: AbortSignal;
};

/** How long a long poll lasts, in seconds; and how long any answer is waited for. */
export const pollSeconds = 30;
const callTimeoutSeconds = pollSeconds + 15;

export function createBotApi({ token, apiRoot, ending, fetch = globalThis.fetch }: BotApiOptions): CallBotApi {
  let loading: Promise<Api> | undefined;
  const load = async () => {
    const { Api } = await loadPackage("grammy", { purpose: "Telegram" });
    const root = apiRoot === undefined ? {} : { apiRoot: apiRoot.replace(/\/+$/, "") };
    // grammY is written against another fetch of the same name; ours takes what it is given.
    const over = overFetch(fetch, ending) as unknown as NonNullable<ConstructorParameters<typeof Api>[1]>["fetch"];
    return new Api(token, { ...root, timeoutSeconds: callTimeoutSeconds, ...(over ? { fetch: over } : {}) });
  };
  return async (call) => {
    loading ??= load();
    try {
      // Its `raw` has every method one asks it for, `then` among them: it must not be awaited itself.
      const { raw } = await loading;
      return { result: await call(raw) };
    } catch (error) {
      if (error instanceof Problem) throw error;
      return { fault: faultOf(error) };
    }
  };
}

type Init = Omit<RequestInit, "signal"> & { readonly signal?: EventTarget & { readonly aborted: boolean } };

/** Its signals are no real ones; and an answer that leads elsewhere would be given the token there. */
function overFetch(fetch: typeof globalThis.fetch, ending: AbortSignal) {
  return async (url: string | URL, { signal, ...init }: Init): Promise<Response> => {
    const controller = new AbortController();
    const stop = () => controller.abort();
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop);
    const { method, headers, body } = init;
    return fetch(url, {
      redirect: "error",
      signal: AbortSignal.any([controller.signal, ending]),
      ...(method === undefined ? {} : { method }),
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body }),
    });
  };
}

type GrammysError = {
  readonly error_code?: unknown;
  readonly description?: unknown;
  readonly parameters?: { readonly retry_after?: unknown };
  readonly error?: { readonly code?: unknown; readonly cause?: { readonly code?: unknown } };
};

function faultOf(thrown: unknown): BotFault {
  const { error_code: status, description, parameters, error } = (thrown ?? {}) as GrammysError;
  if (typeof status !== "number") {
    const code = error?.cause?.code ?? error?.code;
    return { kind: "unreachable", reason: `no answer${typeof code === "string" ? ` (${code})` : ""}` };
  }
  const reason = `${status} ${String(description).replace(/\s+/g, " ").slice(0, 120)}`;
  const seconds = Number(parameters?.retry_after);
  if (status === 429) return { kind: "busy", reason, afterMs: (seconds > 0 ? seconds : 1) * 1000 };
  return { kind: kindOf(status), reason };
}

function kindOf(status: number): BotFault["kind"] {
  if (status >= 500) return "unreachable";
  // A token that is none gets the same answer as a page that is not there.
  if (status === 401 || status === 404) return "unauthorised";
  return status === 409 ? "conflict" : "refused";
}

/** The bytes of a file that Telegram keeps, by the path it gave; or that there are more than so many. */
type DownloadBotFile = (
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
        return { fault: downloadFault(response) };
      }
      return { result: await readUpTo(response, maxBytes) };
    } catch (error) {
      const { code, cause } = Object(error) as { code?: unknown; cause?: { code?: unknown } };
      const why = cause?.code ?? code;
      return { fault: { kind: "unreachable", reason: `no file${typeof why === "string" ? ` (${why})` : ""}` } };
    }
  };
}

function downloadFault({ status, headers }: Response): BotFault {
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
