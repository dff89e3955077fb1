/** What became of a request: the answer's head, and its words where they are no stream; or why there was none. */
export type WatchedResponse = {
  readonly url: string;
  readonly status?: number;
  readonly type?: string;
  readonly words?: string;
  readonly error?: unknown;
};

/** A `fetch` that remembers what the last request came to. What is streamed is left to whoever asked. */
export function watchedFetch(given: typeof fetch = fetch): {
  readonly fetch: typeof fetch;
  readonly last: () => WatchedResponse | undefined;
} {
  let last: WatchedResponse | undefined;
  return {
    last: () => last,
    fetch: async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      try {
        const response = await given(input, init);
        const type = response.headers.get("content-type") ?? "";
        const isAnswer = response.ok && /event-stream|json/.test(type);
        const words = isAnswer ? "" : (await response.clone().text()).slice(0, 4000);
        last = { url, status: response.status, type, words };
        return response;
      } catch (error) {
        last = { url, error };
        throw error;
      }
    },
  };
}
