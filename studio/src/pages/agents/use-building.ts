import { useQuery } from "@tanstack/react-query";
import type { AgentListAnswer, SectionListAnswer } from "charter/answers";
import { useEffect, useRef } from "react";
import { useConnection } from "../../api/event-feed.ts";
import { type ApiProblem, encodeName, getJson, withQuery } from "../../api/request.ts";
import { type Building, buildingOf } from "./building.ts";

const stretch = 1_000;

/**
 * A charter's sections, all of them, as a building. A charter changes when its agent is set up anew or amended, and only
 * then is it read again: it may be large, and much else happens meanwhile.
 */
export function useBuilding(agent: AgentListAnswer["agents"][number]) {
  const query = useQuery<Building, ApiProblem>({
    queryKey: ["building", agent.name, agent.updatedAt, agent.amended],
    queryFn: ({ signal }) => readBuilding(agent.name, signal),
    placeholderData: (before) => before,
  });
  const connection = useConnection();
  const reading = useRef(query);
  useEffect(() => {
    reading.current = query;
  });
  // What could not be read while the server was away is read when it is back: then, and not whenever it fails.
  useEffect(() => {
    if (connection === "live" && reading.current.isError) void reading.current.refetch();
  }, [connection]);
  return query;
}

async function readBuilding(agent: string, signal: AbortSignal): Promise<Building> {
  const sections: SectionListAnswer["sections"][number][] = [];
  for (let more = true; more; ) {
    const path = withQuery(`/agents/${encodeName(agent)}/sections`, { limit: stretch, offset: sections.length });
    const answer = await getJson<SectionListAnswer>(path, signal);
    for (const section of answer.sections) sections.push(section);
    more = answer.more && answer.sections.length > 0;
  }
  return buildingOf(sections);
}
