import type { SampleListAnswer } from "charter/answers";
import { useEffect } from "react";
import { useApi } from "../api/query-client.ts";
import { type ApiProblem, encodeName, withQuery } from "../api/request.ts";
import { aFew, atOnce } from "./at-once.ts";

/** A turn tells when it begins and when it ends; what it does in between is looked for. */
const lookAgainMs = 1_500;

export type Samples = {
  readonly data: SampleListAnswer | undefined;
  readonly problem: ApiProblem | null;
  /** How many were asked for: fewer than wished where each is very large. */
  readonly size: number;
  readonly again: () => void;
};

/** The newest turns of an agent, or of one user with it; newest first. */
export function useSamples(
  agent: string,
  asked: { readonly user?: string | undefined; readonly limit: number; readonly offset?: number },
): Samples {
  const { limit, ...whose } = asked;
  const path = (limit: number) => withQuery(`/agents/${encodeName(agent)}/samples`, { ...whose, limit });
  const few = useApi<SampleListAnswer>(path(Math.min(limit, aFew)));
  const sections = few.data && Math.max(0, ...few.data.samples.map((sample) => sample.sections.length));
  const size = sections === undefined ? limit : atOnce(limit, sections);
  const isAll = few.data !== undefined && (size <= aFew || !few.data.more);
  const all = useApi<SampleListAnswer>(few.data === undefined || isAll ? undefined : path(size));
  const data = isAll ? few.data : all.data;
  const running = data?.samples.some(({ state }) => state === "running") ?? false;
  const { refetch } = isAll ? few : all;
  useLookingAgain(running, refetch);
  return { data, problem: few.error ?? all.error, size, again: () => void refetch() };
}

/** Reads again and again as long as something is under way. */
export function useLookingAgain(running: boolean, refetch: () => unknown): void {
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(refetch, lookAgainMs);
    return () => clearInterval(timer);
  }, [running, refetch]);
}
