/** A run someone may try now. It holds no words: whose it is and what it asks is in the run. */
export type Job = {
  readonly run: string;
  /** Says that its worker is alive. */
  readonly heartbeat: () => Promise<void>;
  /** Its worker is through with it, however that went. */
  readonly complete: () => Promise<void>;
};

/**
 * How the workers of a store share what is due. It only says who tries what: that a run is tried by one at a time, and
 * how often, is kept with the run itself, so a job that is lost or told twice does no harm.
 */
export type Jobs = {
  /** These can be tried now. Told again and again, also by several workers, each try is still one job. */
  readonly offer: (runs: readonly { readonly id: string; readonly tries: number }[]) => Promise<void>;
  /** So many at most, each for this worker alone. */
  readonly claim: (max: number) => Promise<readonly Job[]>;
  readonly close: () => Promise<void>;
};

/** What goes wrong where nobody waits for an answer. */
export type OnError = (error: unknown) => void;

/** Each worker looks for itself at what is due; the lease in the run says whose it is. Enough for a file on one machine. */
export function leaseJobs(): Jobs {
  let offered: string[] = [];
  const nothing = async () => {};
  return {
    offer: async (runs) => {
      offered = runs.map(({ id }) => id);
    },
    claim: async (max) => offered.splice(0, max).map((run): Job => ({ run, heartbeat: nothing, complete: nothing })),
    close: nothing,
  };
}
