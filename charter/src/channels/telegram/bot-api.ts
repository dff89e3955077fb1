import type { Api } from "grammy";
import { loadPackage } from "../../packages/load-package.ts";
import { Problem } from "../../prompt/problem.ts";

/** Why a call of the Bot API came to nothing. `reason` holds no token, no address and nobody's words. */
export type BotFault = {
  readonly kind: "unreachable" | "busy" | "unauthorised" | "conflict" | "refused";
  readonly reason: string;
  /** When Telegram wants to hear of us again. */
  readonly afterMs?: number;
};

export type BotAnswer<Result> =
  | { readonly result: Result; readonly fault?: undefined }
  | { readonly fault: BotFault; readonly result?: undefined };

/** Calls the Bot API. What comes of it is a value: nothing that grammY throws gets any further, since it holds the token. */
export type CallBotApi = <Result>(call: (api: Api["raw"]) => Promise<Result>) => Promise<BotAnswer<Result>>;

type BotApiOptions = {
  readonly token: string;
  readonly apiRoot?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Whatever is still asked then is called off. */
  readonly ending: AbortSignal;
};

/** How long a long poll lasts, in seconds; and how long any answer is waited for. */
export const pollSeconds = 30;
export const callTimeoutSeconds = pollSeconds + 15;

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
