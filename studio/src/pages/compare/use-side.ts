import { useQuery } from "@tanstack/react-query";
import type { TurnAnswer, TurnParts } from "charter/answers";
import { useMemo } from "react";
import { useApi } from "../../api/query-client.ts";
import { type ApiProblem, encodeName, getJson, withQuery } from "../../api/request.ts";
import { cacheRuleOf } from "../../assembly/assembled.ts";
import { useAssembled } from "../../assembly/use-assembled.ts";
import type { CacheRule } from "../../strata/line.ts";
import { type Sent, sentNow, sentOf } from "./sent.ts";
import type { Side } from "./side.ts";

/** A side, as far as it is read. `nothing`: why there are no words, where that is no failure. */
export type ReadSide = {
  readonly sent?: readonly Sent[];
  readonly nothing?: string;
  readonly problem?: Error;
  readonly turn?: TurnAnswer;
  /** Which of the turn's steps it is, from 1 on. */
  readonly step?: number;
  /** The channels one can choose from, where the side is the next prompt. */
  readonly channels?: readonly string[];
  /** How its prefix is cached, where the side is the next prompt. */
  readonly cache?: CacheRule;
};

export function useSide(agent: string, side: Side | undefined, wantedStep: number | undefined): ReadSide {
  const turn = useTurnSide(side?.kind === "turn" ? side.turn : undefined, wantedStep);
  const now = useNowSide(agent, side);
  return side?.kind === "turn" ? turn : now;
}

function useTurnSide(id: string | undefined, wantedStep: number | undefined): ReadSide {
  const about = useApi<TurnAnswer>(id === undefined ? undefined : `/turns/${encodeName(id)}`);
  const turn = about.data?.id === id ? about.data : undefined;
  const step = turn && Math.min(Math.max(1, wantedStep ?? turn.steps), turn.steps);
  const readable = turn !== undefined && turn.state !== "erased" && turn.steps > 0;
  // What was sent does not change any more: it is read once.
  const bytes = useQuery<TurnParts["bytes"], ApiProblem>({
    queryKey: ["sent", id, step],
    enabled: readable,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const path = withQuery(`/turns/${encodeName(id as string)}`, { parts: "bytes", step });
      return (await getJson<TurnAnswer<"bytes">>(path, signal)).bytes;
    },
  });
  const sent = useMemo(() => bytes.data && sentOf(bytes.data), [bytes.data]);
  const erased = turn?.state === "erased" || bytes.error?.status === 410;
  const known = { ...(turn ? { turn } : {}), ...(step ? { step } : {}) };
  if (erased) return { ...known, nothing: "What this turn sent was erased and cannot be restored." };
  if (turn?.steps === 0) return { ...known, nothing: "Nothing was sent in this turn: it ended before its first step." };
  const problem = bytes.error ?? (about.data ? undefined : about.error);
  if (problem) return { ...known, problem };
  return { ...known, ...(readable && sent ? { sent } : {}) };
}

function useNowSide(agent: string, side: Side | undefined): ReadSide {
  const wanted = side?.kind === "now" ? side : undefined;
  const { data, problem } = useAssembled(wanted && { agent, ...wanted });
  const sent = useMemo(() => data && sentNow(data), [data]);
  if (problem) return { problem, ...(data ? { channels: data.about.channels } : {}) };
  if (!data || !sent) return {};
  return { sent, channels: data.about.channels, cache: cacheRuleOf(data) };
}
