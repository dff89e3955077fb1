import type { Api } from "grammy";
import { loadPackage } from "../../packages/load-package.ts";
import { backoffMs } from "../../prompt/bounds.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Dispatch } from "../../store/channels/dispatches.ts";
import type { ChannelDeps, SendFault } from "../sender.ts";
import type { DispatchExtra } from "./deliver-to.ts";
import type { UserPage } from "./wording.ts";

export const channel = "telegram";

/** A bot of an agent: everything its parts share. */
export type Bot = ChannelDeps & {
  /** The bot's own number: the first half of its token, which is no secret. */
  readonly number: string;
  readonly ask: CallBotApi;
  readonly download: DownloadBotFile;
  readonly page?: UserPage | undefined;
  /** Runs work in the background; only `stop` waits for it, and its failures are ignored. */
  readonly runInBackground: (work: (signal: AbortSignal) => Promise<unknown>) => void;
};

/** Retries a call a few times. For calls that are useful, but not essential when Telegram is away for longer. */
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
 * Makes a message without a preview of links: to make one Telegram's servers open them, and a model that was talked into writing
 * a user's words into an address would have sent them there.
 */
export function messageTo(address: string, text: string) {
  return { chat_id: Number(address), text, link_preview_options: { is_disabled: true } } as const;
}

/** Sends a text without storing it: it is lost if Telegram is away. */
export function sendText(bot: Bot, address: string, text: string): void {
  bot.runInBackground(async (signal) => {
    const { fault } = await callWithRetry(bot, signal, () =>
      bot.ask((api) => api.sendMessage(messageTo(address, text))),
    );
    if (fault) bot.log("telegram-unsent", { reason: fault.reason });
  });
}

/** The reason why a call of the Bot API failed. `reason` contains no token, no address and nobody's words. */
export type BotFault = {
  readonly kind: "unreachable" | "busy" | "unauthorised" | "conflict" | "refused";
  readonly reason: string;
  /** Milliseconds after which Telegram accepts the next call. */
  readonly afterMs?: number;
};

type BotAnswer<Result> =
  | { readonly result: Result; readonly fault?: undefined }
  | { readonly fault: BotFault; readonly result?: undefined };

/** Calls the Bot API. The result is a value: no error of grammY gets any further, since it contains the token. */
type CallBotApi = <Result>(call: (api: Api["raw"]) => Promise<Result>) => Promise<BotAnswer<Result>>;

type BotApiOptions = {
  readonly token: string;
  readonly apiRoot?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Signal that cancels all running calls. */
  readonly ending: AbortSignal;
};

/** Seconds that a long poll lasts, and that any answer is waited for. */
export const pollSeconds = 30;
const callTimeoutSeconds = pollSeconds + 15;

export function createBotApi({ token, apiRoot, ending, fetch = globalThis.fetch }: BotApiOptions): CallBotApi {
  let loading: Promise<Api> | undefined;
  const load = async () => {
    const { Api } = await loadPackage("grammy", { purpose: "Telegram" });
    const root = apiRoot === undefined ? {} : { apiRoot: apiRoot.replace(/\/+$/, "") };
    // grammY is written against another fetch of the same name; ours takes the same arguments.
    const adaptedFetch = overFetch(fetch, ending) as unknown as NonNullable<
      ConstructorParameters<typeof Api>[1]
    >["fetch"];
    return new Api(token, {
      ...root,
      timeoutSeconds: callTimeoutSeconds,
      ...(adaptedFetch ? { fetch: adaptedFetch } : {}),
    });
  };
  return async (call) => {
    loading ??= load();
    try {
      // Avoids awaiting `raw` itself: it has every method one asks it for, `then` among them.
      const { raw } = await loading;
      return { result: await call(raw) };
    } catch (error) {
      if (error instanceof Problem) throw error;
      return { fault: faultOf(error) };
    }
  };
}

type Init = Omit<RequestInit, "signal"> & { readonly signal?: EventTarget & { readonly aborted: boolean } };

/**
 * Adapts `fetch` to grammY: it replaces grammY's signals, which are not real ones, and forbids redirects, which would hand over
 * the token.
 */
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
  // Telegram answers an invalid token like a page that does not exist.
  if (status === 401 || status === 404) return "unauthorised";
  return status === 409 ? "conflict" : "refused";
}

/** Downloads a file that Telegram keeps, by the path it gave, unless it has more than `maxBytes`. */
type DownloadBotFile = (
  path: string,
  maxBytes: number,
  signal: AbortSignal,
) => Promise<BotAnswer<Uint8Array | "too-large">>;

type BotFileOptions = {
  readonly token: string;
  readonly apiRoot?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Signal that cancels all running downloads. */
  readonly ending: AbortSignal;
};

/**
 * Makes the download function. Its result is a value: the address contains the token, and an error of fetch may contain the
 * address.
 */
export function createBotFileDownload(options: BotFileOptions): DownloadBotFile {
  const { token, apiRoot = "https://api.telegram.org", ending, fetch = globalThis.fetch } = options;
  const root = `${apiRoot.replace(/\/+$/, "")}/file/bot${token}`;
  return async (path, maxBytes, signal) => {
    const parts = path.split("/");
    // Rejects paths on the disk of a server that keeps files there.
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

/** Reads a body up to `maxBytes`, whatever length the server claims. */
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

/** Posts a message with its buttons; without its formatting if Telegram rejects that. */
export async function postDispatch(bot: Bot, dispatch: Dispatch): Promise<SendFault | undefined> {
  const { id, address, body } = dispatch;
  const { buttons, entities } = extraOf(dispatch);
  const ask = (more: object) => bot.ask((api) => api.sendMessage({ ...messageTo(address, body), ...buttons, ...more }));
  let { fault } = await ask(entities);
  if (fault && isEntityFault(fault) && "entities" in entities) {
    bot.log("entities-refused", { dispatch: id, reason: fault.reason });
    ({ fault } = await ask({}));
  }
  if (!fault) return undefined;
  // A token that is unknown now, or another process that polls: the message waits until that is mended.
  const { kind, ...about } = fault;
  return { ...about, kind: kind === "refused" || kind === "busy" ? kind : "unreachable" };
}

/** Returns true if Telegram rejects the formatting: the text is what matters, so it is sent without. */
function isEntityFault({ kind, reason }: BotFault): boolean {
  return kind === "refused" && /entit(?:y|ies)/i.test(reason);
}

function extraOf({ extra }: Dispatch) {
  const { buttons = [], entities = [] } = (extra ?? {}) as DispatchExtra;
  const keyboard = [buttons.map(({ text, data }) => ({ text, callback_data: data }))];
  return {
    buttons: buttons.length === 0 ? {} : { reply_markup: { inline_keyboard: keyboard } },
    entities: entities.length === 0 ? {} : { entities },
  };
}
