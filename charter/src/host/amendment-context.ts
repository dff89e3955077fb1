import { patience } from "../agent/timeout.ts";
import type { Scope } from "../amend/amendment.ts";
import type { Given } from "../charters/declared-turn.ts";
import { gather, withStanding } from "../prompt/gather.ts";
import type { Room } from "../prompt/room.ts";
import type { Desk } from "../store/amendments/context.ts";

/** Where a proposal for an agent is judged: by its charter's rules, and by what stands when its turn comes. */
export async function deskFor(
  { given, scope }: { readonly given: Given; readonly scope: Scope },
  limits: Room,
  seconds = 10,
): Promise<Desk> {
  const readings = await gather(given.charter, given.turn, patience(seconds));
  const rulesFor = await given.rules();
  return {
    charter: given.charter,
    scope,
    rules: (section, standing) => rulesFor(section, withStanding(given.charter, readings, standing), limits),
    turn: given.turnFacts,
    ...(given.fault ? { fault: given.fault } : {}),
  };
}
