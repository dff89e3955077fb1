import { sourceTimeout } from "../agent/limits.ts";
import type { Scope } from "../amend/amendment.ts";
import type { DeclaredTurn } from "../charters/declared-turn.ts";
import { loadReceiverTokenizer } from "../delivery/receiver.ts";
import { boundsOf, type Room } from "../prompt/assemble.ts";
import { gather, withStanding } from "../prompt/gather.ts";
import type { AmendmentContext } from "../store/amendments/judge.ts";

/** Where a proposal for an agent is judged: by its charter's rules, and by what stands when its turn comes. */
export async function amendmentContextFor(
  { declaredTurn, scope }: { readonly declaredTurn: DeclaredTurn; readonly scope: Scope },
  limits: Room,
  seconds = declaredTurn.limits?.sourceSeconds ?? 10,
): Promise<AmendmentContext> {
  const readings = await gather(declaredTurn.charter, declaredTurn.turn, sourceTimeout(seconds));
  const rulesFor = await declaredTurn.rules();
  return {
    charter: declaredTurn.charter,
    scope,
    rules: (section, standing) => rulesFor(section, withStanding(declaredTurn.charter, readings, standing), limits),
    turn: declaredTurn.turnFacts,
    ...(declaredTurn.fault ? { fault: declaredTurn.fault } : {}),
  };
}

/** Where a charter is limited in tokens, something has to count them. */
export async function countedRoom(charter: Parameters<typeof boundsOf>[0], room: Room): Promise<Room> {
  if (boundsOf(charter, room).tokens === undefined) return room;
  return { ...room, tokenizer: await loadReceiverTokenizer({ name: "o200k_base", exact: false }) };
}
