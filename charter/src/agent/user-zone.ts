import { isCounterpart } from "../store/conversations/inbox-row.ts";
import type { Store } from "../store/store.ts";

/** A user's own time zone. Nobody knows where a counterpart is. */
export async function zoneOf(store: Pick<Store, "users">, user: string | undefined): Promise<string | undefined> {
  if (user === undefined || isCounterpart(user)) return undefined;
  return (await store.users.find(user))?.zone ?? undefined;
}
