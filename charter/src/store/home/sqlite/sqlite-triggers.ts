import type { DatabaseSync } from "node:sqlite";
import type { Table } from "../table.ts";
import { isSealed, type RowChange } from "../table-statements.ts";
import { fenceTriggers } from "./sqlite-fence.ts";
import { sealTriggers } from "./sqlite-seals.ts";

/** The triggers of one connection: the fence of what it writes in a scope, and the seals that follow what it writes. */
export type ConnectionTriggers = {
  /** A transaction is about to begin. What makes or alters tables is not followed: `areMade` says whether all are there. */
  readonly begin: (areMade: () => boolean) => void;
  /** A statement is about to be prepared that names these tables, and may write one of them. */
  readonly notice: (statement: string, tables: readonly Table[]) => void;
  /** Something was undone, and with it the triggers that were made meanwhile. */
  readonly undo: () => void;
};

/** What a statement may do to rows, by the words it does it with, whatever else they stand for in it. */
const writes: Readonly<Record<RowChange, RegExp>> = {
  insert: /\b(?:insert|replace)\b/i,
  update: /\bupdate\b/i,
  delete: /\bdelete\b/i,
};

/** To make all takes some milliseconds, so those of a table are made when it is first written in that way. */
export function createTriggers(handle: DatabaseSync): ConnectionTriggers {
  const made = new Map<string, string>();
  let isFollowing = false;
  let isUndone = false;
  const renew = () => {
    for (const triggers of made.values()) handle.exec(triggers);
  };
  return {
    begin: (areMade) => {
      isFollowing ||= areMade();
      if (isUndone) renew();
      isUndone = false;
    },
    notice: (statement, tables) => {
      if (!isFollowing) return;
      const kinds = (Object.keys(writes) as RowChange[]).filter((kind) => writes[kind].test(statement));
      for (const one of tables)
        for (const kind of kinds) {
          const key = `${kind} ${one.name}`;
          if (made.has(key)) continue;
          const triggers = `${fenceTriggers(one)[kind]}${isSealed(one) ? sealTriggers(one)[kind] : ""}`;
          handle.exec(triggers);
          made.set(key, triggers);
        }
    },
    undo: () => {
      if (handle.isTransaction) renew();
      else isUndone = true;
    },
  };
}
