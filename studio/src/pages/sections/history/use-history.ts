import { useInfiniteQuery } from "@tanstack/react-query";
import type { HistoryAnswer } from "charter/answers";
import { type ApiProblem, encodeName, getJson, withQuery } from "../../../api/request.ts";
import type { Whose } from "../../../editor/use-amending.ts";

export type Amendment = HistoryAnswer["amendments"][number];

export type SectionHistory = {
  /** Newest first: those that were read so far. */
  readonly amendments: readonly Amendment[];
  readonly problem: ApiProblem | null;
  readonly loading: boolean;
  readonly more: boolean;
  readonly readMore: () => void;
};

export function historyPath(
  { agent, user }: Whose,
  section: string,
  query: { limit: number; before?: number | undefined },
) {
  return withQuery(`/agents/${encodeName(agent)}/sections/${encodeName(section)}/history`, { user, ...query });
}

/** How a section's words came to be, newest first, one page after the other. */
export function useHistory(whose: Whose, section: string): SectionHistory {
  const { data, error, isPending, hasNextPage, fetchNextPage } = useInfiniteQuery<
    HistoryAnswer,
    ApiProblem,
    { readonly pages: readonly HistoryAnswer[] },
    readonly unknown[],
    number | undefined
  >({
    queryKey: ["api", "history", whose.agent, whose.user, section],
    queryFn: ({ pageParam, signal }) =>
      getJson<HistoryAnswer>(historyPath(whose, section, { limit: 20, before: pageParam }), signal),
    initialPageParam: undefined,
    getNextPageParam: ({ amendments, more }) => (more ? amendments.at(-1)?.revision : undefined),
  });
  return {
    amendments: data?.pages.flatMap(({ amendments }) => amendments) ?? [],
    problem: error,
    loading: isPending,
    more: hasNextPage,
    readMore: () => void fetchNextPage(),
  };
}
