export type CoalesceOptions = {
  /** Many wishes within this time are one. */
  readonly delayMs: number;
  /** Whoever takes longer is not waited for. */
  readonly timeoutMs: number;
};

/**
 * Does something soon, and once for many wishes. A wish that comes while it is being done is done afterwards: were it
 * begun anew each time, it would never come to an end where wishes come faster than it takes.
 */
export function coalesce(
  what: () => Promise<unknown>,
  { delayMs: soonMs, timeoutMs: patienceMs }: CoalesceOptions,
): () => void {
  let state: "idle" | "waiting" | "doing" = "idle";
  let again = false;
  const begin = async () => {
    state = "waiting";
    await pause(soonMs);
    state = "doing";
    again = false;
    let enough = () => {};
    const patience = setTimeout(() => enough(), patienceMs);
    await Promise.race([
      what().catch(() => {}),
      new Promise<void>((resolve) => {
        enough = resolve;
      }),
    ]);
    clearTimeout(patience);
    state = "idle";
    if (again) void begin();
  };
  return () => {
    if (state === "idle") void begin();
    else if (state === "doing") again = true;
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
