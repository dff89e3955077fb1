import type { Store } from "../../store/store.ts";
/** placeholder until helper agent's */
export async function notedReplies(_store: Store, _turn: string): Promise<ReadonlyMap<string, string>> {
  return new Map();
}
