import type { Api } from "grammy";
import type { Host } from "../../host/host.ts";
import { loadPackage } from "../../packages/load-package.ts";
import { backoffMs } from "../../prompt/bounds.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Dispatch } from "../../store/channels/dispatches.ts";
import { isTransient, type Sleep } from "../loop.ts";
import { sentInto } from "../turn-record.ts";
import type { DispatchExtra } from "./deliver-to.ts";
import type { UserPage } from "./wording.ts";

export const channel = "telegram";

/** A bot of an agent: everything its parts share. */
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
  /** Reports to the operator; never a user's words, nor the token. */
  readonly log: (kind: string, about?: Readonly<Record<string, unknown>>) => void;
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

const idleMs = 1000;
const concurrency = 20;
/** Milliseconds of a lease, longer than any answer of Telegram is waited for. */
const leaseMs = 120_000;

/**
 * Makes the round that sends: the next message of each chat, in the order in which they were written. It returns the milliseconds
 * until the next round.
 *
 * A message that Telegram accepted is sent once more if we died before we recorded that: Telegram has no ids for messages that
 * would detect it.
 */
export function createSendRound(bot: Bot): (signal: AbortSignal) => Promise<number> {
  const { agent, host, clock } = bot;
  const { dispatches } = host.store;
  let silentUntil = 0;
  const pause = (ms: number) => {
    silentUntil = Math.max(silentUntil, clock().getTime() + ms);
  };
  return async (signal) => {
    const silent = silentUntil - clock().getTime();
    if (silent > 0) return silent;
    const due = await dispatches.claim(agent, channel, { limit: concurrency, leaseMs });
    if (due.length === 0) return idleMs;
    const sent = await Promise.all(due.map((one) => send(bot, one, pause, signal)));
    return sent.some((outcome) => outcome) ? 0 : idleMs;
  };
}

/** Sends one message; returns true if it is settled, so that the next message of its chat may be sent. */
async function send(bot: Bot, dispatch: Dispatch, pause: (ms: number) => void, signal: AbortSignal): Promise<boolean> {
  const { agent, host, clock, random, log } = bot;
  const { dispatches, links } = host.store;
  const { id, scope, address, body, tries } = dispatch;
  const dead = async (reason: string) => {
    await dispatches.markDead(id, reason);
    log("dispatch-dead", { dispatch: id, reason });
    return true;
  };
  const link = await links.find(agent, channel, address);
  if (!link || link.scope.user !== scope.user) return dead("the chat is not this user's any more");
  const { buttons, entities } = extraOf(dispatch);
  const ask = (more: object) => bot.ask((api) => api.sendMessage({ ...messageTo(address, body), ...buttons, ...more }));
  let { fault } = await ask(entities);
  if (fault && isEntityFault(fault) && "entities" in entities) {
    log("entities-refused", { dispatch: id, reason: fault.reason });
    ({ fault } = await ask({}));
  }
  if (!fault) {
    const into = async () => (dispatch.turn === undefined ? {} : sentInto(host.store, agent, clock()));
    await keepTrying(bot, signal, async () => dispatches.markSent(id, await into()));
    return true;
  }
  if (fault.kind === "refused") return dead(fault.reason);
  const wait = fault.afterMs ?? backoffMs(tries, random, { max: 300_000 });
  // Pauses the whole bot, because Telegram limits messages per bot, not per chat.
  if (fault.kind === "busy") pause(wait);
  await dispatches.retryAt(id, fault.reason, new Date(clock().getTime() + wait).toISOString());
  return false;
}

/**
 * Records that Telegram has the message. While the store is away only this process knows, so it retries until its lease is nearly
 * over.
 */
async function keepTrying(
  { sleep, random, clock }: Bot,
  signal: AbortSignal,
  keep: () => Promise<void>,
): Promise<void> {
  const until = clock().getTime() + leaseMs - 5000;
  for (let failures = 0; ; failures++)
    try {
      return await keep();
    } catch (error) {
      const wait = backoffMs(failures, random, { min: 200, max: 5000 });
      const passing = error instanceof Problem && isTransient(error);
      if (!passing || signal.aborted || clock().getTime() + wait > until) throw error;
      await sleep(wait, signal);
    }
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
