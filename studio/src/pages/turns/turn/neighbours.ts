import { useQuery } from "@tanstack/react-query";
import type { TurnListAnswer } from "charter/answers";
import { type ApiProblem, encodeName, getJson, withQuery } from "../../../api/request.ts";

/** Which row of a list that is sorted by ids, newest first, has this one; -1 where none has. `idAt` reads one row. */
export async function rowOf(id: string, idAt: (row: number) => Promise<string | undefined>): Promise<number> {
  let from = 0;
  let to = 8;
  // As far back as it takes, in ever longer steps; then between the last two.
  for (;;) {
    const found = await idAt(to);
    if (found === id) return to;
    if (found === undefined || found < id) break;
    from = to + 1;
    to *= 4;
  }
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const found = await idAt(middle);
    if (found === id) return middle;
    if (found === undefined || found < id) to = middle;
    else from = middle + 1;
  }
  return -1;
}

export type Neighbours = { readonly previous: string | undefined; readonly next: string | undefined };

/** The turns before and after one, in the agent's own order. */
export function useNeighbours(agent: string, id: string) {
  return useQuery<Neighbours, ApiProblem>({
    queryKey: ["api", "neighbours", agent, id],
    queryFn: async ({ signal }) => {
      const rows = async (offset: number, limit: number) =>
        (await getJson<TurnListAnswer>(withQuery(`/agents/${encodeName(agent)}/turns`, { offset, limit }), signal))
          .turns;
      const first = (await rows(0, 8)).map((turn) => turn.id);
      const known = first.indexOf(id);
      const row = known === -1 ? await rowOf(id, async (at) => first[at] ?? (await rows(at, 1))[0]?.id) : known;
      if (row === -1) return { previous: undefined, next: undefined };
      const around = await rows(Math.max(0, row - 1), 3);
      const at = around.findIndex((turn) => turn.id === id);
      return { previous: around[at + 1]?.id, next: around[at - 1]?.id };
    },
  });
}
