import { sourceTimeout } from "../agent/timeout.ts";
import type { Scope } from "../amend/amendment.ts";
import type { DeclaredTurn } from "../charters/declared-turn.ts";
import { gather, withStanding } from "../prompt/gather.ts";
import type { Room } from "../prompt/room.ts";
import type { AmendmentContext } from "../store/amendments/context.ts";

/** Where a proposal for an agent is judged: by its charter's rules, and by what stands when its turn comes. */
export async function amendmentContextFor(
  { declaredTurn, scope }: { readonly declaredTurn: DeclaredTurn; readonly scope: Scope },
  limits: Room,
  seconds = given.limits?.sourceSeconds ?? 10,
): Promise<Desk> {
  const readings = await gather(given.charter, given.turn, patience(seconds));
  const rulesFor = await given.rules();
  return {
    charter: declaredTurn.charter,
    scope,
    rules: (section, standing) => rulesFor(section, withStanding(declaredTurn.charter, readings, standing), limits),
    turn: declaredTurn.turnFacts,
    ...(declaredTurn.fault ? { fault: declaredTurn.fault } : {}),
  };
}
