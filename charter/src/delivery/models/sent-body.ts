import type { Model, ModelResult, SentBody } from "../model.ts";
import { escapedRequest } from "./escape/escaped-request.ts";

/** A `fetch` that notes what is posted with it, by the signal of the request: of each its digest, not its bytes. */
type NotingFetch = {
  readonly fetch: typeof fetch;
  readonly posted: WeakMap<AbortSignal, { readonly address: string; readonly digest: Promise<string> }>;
};

export function notingFetch(given: typeof fetch | undefined): NotingFetch {
  const posted: NotingFetch["posted"] = new WeakMap();
  return {
    posted,
    fetch: (input, init) => {
      if (init?.signal && typeof init.body === "string")
        posted.set(init.signal, { address: plainAddress(input), digest: bodyDigest(init.body) });
      return (given ?? fetch)(input, init);
    },
  };
}

/** SHA-256 in hex, by what every runtime has: this is bundled for those without `node:crypto` too. */
export async function bodyDigest(body: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Where it went, without a name, a password or a key that may stand in an address. */
function plainAddress(input: Parameters<typeof fetch>[0]): string {
  const { origin, pathname } = new URL(input instanceof Request ? input.url : input);
  return `${origin}${pathname}`;
}

type MadeBy = Pick<SentBody, "package" | "version" | "cache">;

/** A model that says what it posted with each answer and each fault. Each request has a signal of its own to know it by. */
export function withSentBody(model: Model, { posted }: Pick<NotingFetch, "posted">, madeBy: MadeBy): Model {
  return {
    ...model,
    ask: async (request, asking): Promise<ModelResult> => {
      const signal = AbortSignal.any([asking.signal]);
      const result = await model.ask(request, { ...asking, signal });
      const body = posted.get(signal);
      if (!body) return result;
      const escaped = !model.receiver.guardsTokens && escapedRequest(request) !== request;
      const { address, digest } = body;
      return { ...result, sent: { digest: await digest, address, ...madeBy, ...(escaped ? { escaped } : {}) } };
    },
  };
}
