import type { Scope } from "../../amend/amendment.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Store } from "../../store/store.ts";

export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** A zone that can be reckoned in: one nobody knows is UTC, as it is in prompts. */
export function soundZone(zone: string): string {
  return isZone(zone) ? zone : "UTC";
}

export function checkZone(zone: string): void {
  if (!isZone(zone)) throw new Problem("bad-zone", `“${zone}” is no time zone.`, "Give one like Europe/Berlin or UTC.");
}

/** The zone that holds for someone: their own, else the agent's, else the operator's usual one, else UTC. */
export async function zoneFor(store: Store, { agent, user }: Scope, usual = "UTC"): Promise<string> {
  const own = user === undefined ? undefined : (await store.users.find(user))?.zone;
  if (own) return own;
  const { zone } = (await store.agents.find(agent))?.settings ?? {};
  return soundZone(typeof zone === "string" ? zone : usual);
}
