import { useQuery } from "@tanstack/react-query";
import type { OutcomeAnswer } from "charter/answers";
import { useEffect, useState } from "react";
import { ApiProblem, encodeName, sendJson } from "../../api/request.ts";
import type { Refusal } from "../../app/page.tsx";

/** What approving would come to. */
export type Check =
  | {
      readonly kind: "accepted" | "unchanged";
      readonly before: string;
      readonly after: string;
    }
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[] };

export type Checked = {
  readonly check: Check | undefined;
  readonly problem: ApiProblem | null;
  /** What is shown is about older text. */
  readonly checking: boolean;
};

const pauseMs = 300;

/** Asks every guard, without approving anything: when typing pauses, and again when something happened. */
export function useCheck(id: string, body: object): Checked {
  const wanted = JSON.stringify(body);
  const [settled, setSettled] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(wanted), pauseMs);
    return () => clearTimeout(timer);
  }, [wanted]);
  const { data, error, isPlaceholderData, isFetching } = useQuery<Check, ApiProblem>({
    queryKey: ["api", "approval-check", id, settled],
    queryFn: ({ signal }) =>
      sendJson<OutcomeAnswer>(
        `/approvals/${encodeName(id)}/approve`,
        { ...(JSON.parse(settled) as object), dryRun: true },
        { signal },
      ).then(checkOf, refusedOf),
    placeholderData: (before) => before,
    gcTime: 0,
  });
  return { check: data, problem: error, checking: settled !== wanted || isPlaceholderData || (isFetching && !data) };
}

function checkOf({ verdict, before, after }: OutcomeAnswer): Check {
  return { kind: verdict === "unchanged" ? "unchanged" : "accepted", before, after };
}

/** A no is an answer too; whatever else went wrong is none. */
function refusedOf(problem: unknown): Check {
  if (problem instanceof ApiProblem && problem.error.refusals)
    return { kind: "refused", refusals: problem.error.refusals };
  throw problem;
}
