import { useQuery } from "@tanstack/react-query";
import type { SectionAnswer, SectionListAnswer } from "charter/answers";
import { type ApiProblem, encodeName, getJson, withQuery } from "../../api/request.ts";

const max = 1000;

/** All sections of an agent, in the order of its charter, however many pages they are. */
export function useSections(agent: string, user: string | undefined, asked: boolean) {
  return useQuery<readonly SectionAnswer[], ApiProblem>({
    queryKey: ["api", "sections", agent, user],
    queryFn: async ({ signal }) => {
      const all: SectionAnswer[] = [];
      for (let more = true; more; ) {
        const path = withQuery(`/agents/${encodeName(agent)}/sections`, { user, limit: max, offset: all.length });
        const page = await getJson<SectionListAnswer>(path, signal);
        all.push(...page.sections);
        more = page.more && page.sections.length > 0;
      }
      return all;
    },
    enabled: asked,
  });
}
