import { Problem } from "../prompt/problem.ts";
import type { Store } from "../store/store.ts";
import type { Turn } from "../store/turns/turns.ts";

/** A turn by its id, if there is one. */
export async function findTurn(store: Store, id: string): Promise<Turn | undefined> {
  try {
    return await store.turns.get(id);
  } catch (error) {
    if (error instanceof Problem && error.code === "unknown-turn") return undefined;
    throw error;
  }
}
