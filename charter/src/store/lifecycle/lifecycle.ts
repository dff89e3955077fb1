import type { Parts } from "../deps.ts";
import type { Saved, SaveOptions } from "./checkpoint.ts";
import type { Proof } from "./checkpoint-proof.ts";
import type { Erased, Found } from "./erase.ts";
import type { Exported } from "./export.ts";
import type { RestoreOptions } from "./restore.ts";
import type { Retained, Retention } from "./retain.ts";
import type { Who } from "./user-rows.ts";

/** Data that comes and goes: whole stores, one user's part, what is old. Seldom used, so loaded when asked for. */
export type Moving = {
  readonly checkpoint: {
    /** One file that holds everything, or everything of one agent. */
    readonly save: (file: string, options?: SaveOptions) => Promise<Saved>;
    /** All that such a file holds, or nothing. */
    readonly restore: (file: string, options?: RestoreOptions) => Promise<Proof>;
  };
  /** Everything that is kept about one user. */
  readonly export: (who: Who) => Promise<Exported>;
  /** What `erase` would take. */
  readonly erasable: (who: Who) => Promise<Found>;
  readonly erase: (who: Who) => Promise<Erased>;
  readonly retain: (retention: Retention, options?: { readonly dryRun?: boolean }) => Promise<Retained>;
};

export function createMoving(parts: Parts): Moving {
  return {
    checkpoint: {
      save: async (...asked) => (await import("./checkpoint.ts")).saveCheckpoint(parts, ...asked),
      restore: async (...asked) => (await import("./restore.ts")).restoreCheckpoint(parts, ...asked),
    },
    export: async (who) => (await import("./export.ts")).exportUser(parts, who),
    erasable: async (who) => (await import("./erase.ts")).findUser(parts, who),
    erase: async (who) => (await import("./erase.ts")).eraseUser(parts, who),
    retain: async (...asked) => (await import("./retain.ts")).retain(parts, ...asked),
  };
}
