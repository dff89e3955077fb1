import { tooLarge } from "./message-lines.ts";

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * A fetch whose answers have a size: a body that is not a stream of events as a whole, and each event of one that is. In
 * place of an event that is too large stands an answer that says so, to the request that it was made for.
 */
export function boundedFetch(maxBytes: number, fetching: Fetch = fetch): Fetch {
  return async (url, init) => {
    const response = await fetching(url, init);
    if (response.body === null) return response;
    const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
    const body = response.body.pipeThrough(isStream ? boundedEvents(maxBytes, idOf(init)) : boundedBody(maxBytes));
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}

function boundedBody(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform: (chunk, out) => {
      bytes += chunk.length;
      if (bytes > maxBytes) out.error(new Error(`its answer is larger than ${maxBytes} bytes`));
      else out.enqueue(chunk);
    },
  });
}

/** An event ends with an empty line. */
function boundedEvents(maxBytes: number, id: number | string | undefined): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let last = 0;
  return new TransformStream({
    transform: (chunk, out) => {
      for (const byte of chunk) {
        bytes += 1;
        if (byte === 10 && last === 10) bytes = 0;
        if (byte !== 13) last = byte;
      }
      if (bytes <= maxBytes) return out.enqueue(chunk);
      if (id === undefined) return out.error(new Error(`an event is larger than ${maxBytes} bytes`));
      const told = `\n\nevent: message\ndata: ${JSON.stringify(tooLarge(id, maxBytes))}\n\n`;
      out.enqueue(new TextEncoder().encode(told));
      out.terminate();
    },
  });
}

/** The id of the request that is made, if it is one. */
function idOf(init: RequestInit | undefined): number | string | undefined {
  if (typeof init?.body !== "string") return undefined;
  try {
    const { id } = Object(JSON.parse(init.body)) as { readonly id?: unknown };
    return typeof id === "number" || typeof id === "string" ? id : undefined;
  } catch {
    return undefined;
  }
}
