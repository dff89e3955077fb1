import type { Guard } from "../guard.ts";

/** A proposal made against words that have changed since is never silently merged. */
export const staleRevision: Guard = ({ base, revision, placed }) =>
  base === undefined || base === revision
    ? undefined
    : {
        guard: "stale-revision",
        because: `“${placed.section.name}” is at revision ${revision}; the proposal was made against ${base}. Read it again.`,
      };
