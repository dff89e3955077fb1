import type { Scope } from "../amend/amendment.ts";
import type { Notice } from "../prompt/notice.ts";
import type { Store } from "../store/store.ts";

/**
 * What whoever sets a schedule should know of a user who has linked no chat: its answers are on the
 * web, and nothing tells them so. Of an agent's
 * own schedule nothing is said: it is for nobody.
 */
export async function reachNotices(store: Store, { agent, user }: Scope): Promise<Notice[]> {
  if (user === undefined || (await store.links.of({ agent, user })).length > 0) return [];
  const message = `“${user}” has linked no chat with “${agent}”: its answers are sent nowhere, and are in their conversation on the web.`;
  return [{ code: "user-unreachable", message }];
}
