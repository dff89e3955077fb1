import { QueryClient, useQuery } from "@tanstack/react-query";
import { ApiProblem, getJson } from "./request.ts";

/** What was read is looked at again whenever something happens (`event-feed.ts`), so nothing grows old by a clock. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 60_000,
      refetchOnWindowFocus: false,
      networkMode: "always",
      retry: (count, error) => count < 3 && error instanceof ApiProblem && (error.status === 0 || error.status === 503),
    },
    mutations: { networkMode: "always" },
  },
});

/** When each address was asked last, in milliseconds since the page was opened. */
const askedAt = new Map<string, number>();

/** Whether what is shown was asked for before then. What was asked otherwise than by `useApi` may have been. */
export function wasAskedBefore(key: readonly unknown[], moment: number): boolean {
  return key.length !== 2 || (askedAt.get(key[1] as string) ?? 0) <= moment;
}

/** Reads an address under /api and keeps reading it as things happen. Without an address nothing is read. */
export function useApi<Answer>(path: string | undefined) {
  return useQuery<Answer, ApiProblem>({
    queryKey: ["api", path],
    queryFn: ({ signal }) => {
      askedAt.set(path as string, performance.now());
      return getJson<Answer>(path as string, signal);
    },
    enabled: path !== undefined,
    placeholderData: (before, query) =>
      isSameQuestion(query?.queryKey[1] as string | undefined, path) ? before : undefined,
  });
}

/** What may differ between two addresses that ask the same: how much of it, in which order, and what it is searched for. */
const details = ["limit", "offset", "query", "words", "event", "from", "to", "minCost", "maxCost", "sort"];

/**
 * Whether the answer to one address may be shown while that to another is on its way: only where both are about the same
 * thing of the same agent and the same user. One user's words are never shown under another's name.
 */
export function isSameQuestion(before: string | undefined, now: string | undefined): boolean {
  return before !== undefined && now !== undefined && questionOf(before) === questionOf(now);
}

function questionOf(path: string): string {
  const [place = "", query = ""] = path.split("?");
  const asked = new URLSearchParams(query);
  for (const detail of details) asked.delete(detail);
  asked.sort();
  return `${place}?${asked}`;
}
