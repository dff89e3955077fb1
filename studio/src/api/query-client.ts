import { QueryClient, useQuery } from "@tanstack/react-query";
import { ApiProblem, getJson } from "./request.ts";
import { isSameQuestion } from "./same-question.ts";

/** What was read is looked at again whenever something happens (`live.ts`), so nothing grows old by a clock. */
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

/** Reads an address under /api and keeps reading it as things happen. Without an address nothing is read. */
export function useApi<Answer>(path: string | undefined) {
  return useQuery<Answer, ApiProblem>({
    queryKey: ["api", path],
    queryFn: ({ signal }) => getJson<Answer>(path as string, signal),
    enabled: path !== undefined,
    placeholderData: (before, query) =>
      isSameQuestion(query?.queryKey[1] as string | undefined, path) ? before : undefined,
  });
}
