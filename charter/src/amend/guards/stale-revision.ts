import { bareGuard } from "../guard.ts";

/**
 * Guard: refuses a proposal that was based on a revision which is no longer the current one. Nothing is merged
 * silently.
 */
export const staleRevision = bareGuard("staleRevision", ({ base, revision, placed }) =>
  base === undefined || base === revision
    ? undefined
    : {
        guard: "stale-revision",
        because: `“${placed.section.name}” is at revision ${revision}; the proposal was made against ${base}. Read it again.`,
      },
);
