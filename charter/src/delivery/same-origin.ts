/** So often a server may send us on: to another path of its own, as many do with the last slash. */
const mostRedirects = 3;

/**
 * A fetch that goes to no other server than the one that was named. Of headers that hold keys `fetch` itself keeps only
 * Authorization from the server a redirect names, and what was said goes there whole. Such an answer is given as it is.
 */
export function withinOrigin(given?: typeof fetch): typeof fetch {
  return async (input, init) => {
    const fetching = given ?? fetch;
    if (input instanceof Request) return fetching(input, { ...init, redirect: "manual" });
    let at = new URL(input);
    for (let count = 0; ; count++) {
      const response = await fetching(at, { ...init, redirect: "manual" });
      const sentOn = response.status === 307 || response.status === 308;
      const to = sentOn ? URL.parse(response.headers.get("location") ?? "", at.href) : null;
      if (to?.origin !== at.origin || count === mostRedirects) return response;
      await response.body?.cancel();
      at = to;
    }
  };
}
