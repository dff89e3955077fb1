import type { Scope } from "../amend/amendment.ts";
import { isZone } from "../store/scope.ts";
import type { Store } from "../store/store.ts";

/** A zone that can be reckoned in: one nobody knows is UTC, as it is in prompts. */
export function soundZone(zone: string): string {
  return isZone(zone) ? zone : "UTC";
}

/** The zone that holds for someone: their own, else the agent's, else the operator's usual one, else UTC. */
export async function zoneFor(store: Store, { agent, user }: Scope, usual = "UTC"): Promise<string> {
  const own = await store.users.zoneOf(user);
  if (own) return own;
  const { zone } = (await store.agents.find(agent))?.settings ?? {};
  return soundZone(typeof zone === "string" ? zone : usual);
}
