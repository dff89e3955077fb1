import type { StoreDeps } from "../deps.ts";
import type { CheckpointOptions, CheckpointResult } from "./checkpoint.ts";
import type { ErasableData, EraseResult, UserSelector } from "./erase.ts";
import type { UserExport } from "./export.ts";
import type { RemoveResult } from "./remove-agent.ts";
import type { CheckpointProof, RestoreOptions } from "./restore.ts";
import type { RetainResult, Retention } from "./retain.ts";

/** The part of `Store` for backups and data protection: checkpoint, export, erase, retain. */
export type Lifecycle = {
  readonly checkpoint: {
    /** One file that holds everything, or everything of one agent. */
    readonly save: (file: string, options?: CheckpointOptions) => Promise<CheckpointResult>;
    /** All that such a file holds, or nothing. */
    readonly restore: (file: string, options?: RestoreOptions) => Promise<CheckpointProof>;
  };
  /** Everything that is stored about one user; without the prompts that were sent, where they are not wanted. */
  readonly export: (who: UserSelector & { readonly prompts?: boolean }) => Promise<UserExport>;
  /** What `erase` would delete. */
  readonly erasable: (who: UserSelector) => Promise<ErasableData>;
  /** Deletes everything about one user. */
  readonly erase: (who: UserSelector) => Promise<EraseResult>;
  /**
   * Takes an agent out of every list, for good; with `erase`, its words are deleted as well. Its row stays, so that its
   * chains can be proved and nobody else gets its name.
   */
  readonly remove: (agent: string, options?: { readonly erase?: boolean }) => Promise<RemoveResult>;
  /** Deletes what is older than it has to be kept. */
  readonly retain: (retention: Retention, options?: { readonly dryRun?: boolean }) => Promise<RetainResult>;
};

export function createLifecycle(deps: StoreDeps): Lifecycle {
  return {
    checkpoint: {
      save: async (...asked) => (await import("./checkpoint.ts")).saveCheckpoint(deps, ...asked),
      restore: async (...asked) => (await import("./restore.ts")).restoreCheckpoint(deps, ...asked),
    },
    export: async (who) => (await import("./export.ts")).exportUser(deps, who),
    erasable: async (who) => (await import("./erase.ts")).findUser(deps, who),
    erase: async (who) => (await import("./erase.ts")).eraseUser(deps, who),
    remove: async (...asked) => (await import("./remove-agent.ts")).removeAgent(deps, ...asked),
    retain: async (...asked) => (await import("./retain.ts")).retain(deps, ...asked),
  };
}
