import { useQuery } from "@tanstack/react-query";
import type { AgentAnswer, CoreMemoryAnswer, SectionAnswer } from "charter/answers";
import { useEffect } from "react";
import { onEvent } from "../../../api/event-feed.ts";
import { queryClient, useApi } from "../../../api/query-client.ts";
import { type ApiProblem, encodeName, getJson } from "../../../api/request.ts";

export type CoreReport = CoreMemoryAnswer;

/** A core memory as it was found when its relays were last asked, or why nobody could say. */
export type Core = {
  readonly report: CoreReport | undefined;
  readonly problem: ApiProblem | null;
  /** When the relays were last asked; 0 where they never were. */
  readonly askedAt: number;
  readonly asking: boolean;
  readonly askAgain: () => void;
};

/** Relays tell nothing by themselves. */
const againMs = 60_000;

const keyOf = (agent: string) => ["core", agent];

export const corePath = (agent: string): string => `/agents/${encodeName(agent)}/core`;

/** What of an agent's core memory is on its relays. It is asked for anew when it changed, not whenever anything happens. */
export function useCore(agent: string, asked: boolean): Core | undefined {
  const { data, error, dataUpdatedAt, errorUpdatedAt, isFetching, refetch } = useQuery<CoreReport, ApiProblem>({
    queryKey: keyOf(agent),
    queryFn: ({ signal }) => getJson<CoreReport>(corePath(agent), signal),
    enabled: asked,
    refetchInterval: againMs,
  });
  if (!asked) return undefined;
  return {
    report: data,
    problem: error,
    askedAt: Math.max(dataUpdatedAt, errorUpdatedAt),
    asking: isFetching,
    askAgain: () => void refetch(),
  };
}

/** Whether a section is a core memory that is kept on relays. */
export function useOnRelays(agent: string, section: Pick<SectionAnswer, "name" | "mutability"> | undefined): boolean {
  const { data } = useApi<AgentAnswer>(`/agents/${encodeName(agent)}`);
  return isCore(section) && data?.name === agent && data.settings.memory !== undefined;
}

/** A core memory that is told in the settings is generated per turn, and is on no relay. */
export function isCore(section: Pick<SectionAnswer, "name" | "mutability"> | undefined): boolean {
  return section?.name === "core" && section.mutability === "amendable";
}

export const askCoreAgain = (agent: string): void => void queryClient.invalidateQueries({ queryKey: keyOf(agent) });

const tells: readonly string[] = ["amended", "published", "publication-conflict"];

/** Asks anew when the agent's words were changed or published. */
export function useCoreEvents(agent: string): void {
  useEffect(
    () => onEvent(({ scope, kind }) => scope.agent === agent && tells.includes(kind) && askCoreAgain(agent)),
    [agent],
  );
}

/** Why its words cannot be changed now; nothing where they can, or where that is not known. */
export function whyLocked(core: Core | undefined): string | undefined {
  if (!core) return undefined;
  const { report, problem } = core;
  // A server that is away says nothing about the relays.
  if (problem) return problem.status >= 400 && problem.status < 500 ? problem.message : undefined;
  if (report?.status === "unavailable") return report.reason ?? "unknown reason";
  return report?.notices.find(({ code }) => code === "clock-poisoned")?.message;
}
