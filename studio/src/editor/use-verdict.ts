import { useQuery } from "@tanstack/react-query";
import type { OutcomeAnswer } from "charter/answers";
import { useEffect, useState } from "react";
import { type ApiProblem, encodeName, sendJson } from "../api/request.ts";
import { type Verdict, verdictIn, verdictOf } from "./verdict.ts";

export type Judged = {
  readonly verdict: Verdict | undefined;
  readonly problem: ApiProblem | null;
  /** What is shown is about older words: the guards are being asked about these. */
  readonly checking: boolean;
  /** The words that the verdict is about. */
  readonly about: string;
};

const pauseMs = 300;

/**
 * What all guards say to these words, asked anew when typing pauses and when something happened that may change their
 * mind. An answer to older words never replaces one to newer ones: each belongs to the words it was asked for.
 */
export function useVerdict(wish: {
  readonly agent: string;
  readonly section: string;
  readonly user: string | undefined;
  readonly text: string;
  readonly revision: number;
  readonly asked: boolean;
}): Judged {
  const { agent, section, user, text, revision, asked } = wish;
  const settled = useSettled(text);
  const { data, error, isFetching, isPlaceholderData } = useQuery<Verdict, ApiProblem>({
    queryKey: ["api", "verdict", agent, section, user, revision, settled],
    queryFn: ({ signal }) => {
      const body = { section, operation: { kind: "rewrite", content: settled }, revision, user, quote: true };
      return sendJson<OutcomeAnswer>(`/agents/${encodeName(agent)}/proposals`, body, { signal }).then(
        verdictOf,
        verdictIn,
      );
    },
    enabled: asked,
    placeholderData: (before) => before,
    gcTime: 0,
  });
  if (!asked) return { verdict: undefined, problem: null, checking: false, about: settled };
  const checking = settled !== text || isPlaceholderData || (isFetching && !data);
  return { verdict: data, problem: error, checking, about: settled };
}

/** A text once it has stayed the same for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
