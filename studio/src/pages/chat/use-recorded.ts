import { useQuery } from "@tanstack/react-query";
import type { SampleAnswer, StepListAnswer, TurnAnswer } from "charter/answers";
import { type ApiProblem, encodeName, getJson } from "../../api/request.ts";
import { type Recorded, recorded } from "./recorded.ts";

/**
 * What happened in a turn that is over, read once it is looked at. It does not change any more; and where the one step
 * was the answer, there is nothing to read.
 */
export function useRecorded({ id, state, steps }: TurnAnswer, seen: boolean) {
  const over = state !== "running" && state !== "erased";
  return useQuery<Recorded, ApiProblem>({
    queryKey: ["recorded", id, state],
    enabled: seen && over && (steps > 1 || (steps > 0 && state !== "answered")),
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const [taken, sample] = await Promise.all([
        getJson<StepListAnswer>(`/turns/${encodeName(id)}/steps`, signal),
        getJson<SampleAnswer>(`/turns/${encodeName(id)}/sample`, signal),
      ]);
      return recorded(taken.steps, sample.events);
    },
  });
}
