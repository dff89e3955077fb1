import type { DatabaseSync } from "node:sqlite";
import type { Table } from "../table.ts";
import { isSealed } from "../table-statements.ts";
import { fenceTriggers } from "./sqlite-fence.ts";
import { sealTriggers } from "./sqlite-seals.ts";

/** The triggers of one connection: the fence of what it writes in a scope, and the seals that follow what it writes. */
export type ConnectionTriggers = {
  /** Called once the tables are there: what makes or alters them is not followed. */
  readonly start: () => void;
  /** A statement is about to be prepared that writes one of these tables. */
  readonly notice: (tables: readonly Table[]) => void;
  /** Something was undone, and with it the triggers that were made meanwhile. */
  readonly renew: () => void;
};

/** To make all takes some milliseconds, so those of a table are made when it is first written. */
export function createTriggers(handle: DatabaseSync): ConnectionTriggers {
  const made = new Map<string, string>();
  let starts = false;
  return {
    start: () => {
      starts = true;
    },
    notice: (tables) => {
      if (!starts) return;
      for (const one of tables) {
        if (made.has(one.name)) continue;
        const triggers = `${fenceTriggers(one)}${isSealed(one) ? sealTriggers(one) : ""}`;
        handle.exec(triggers);
        made.set(one.name, triggers);
      }
    },
    renew: () => {
      for (const triggers of made.values()) handle.exec(triggers);
    },
  };
}
