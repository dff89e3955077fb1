/** What became of a wait: a value, or why it was given up. */
export type WaitResult<Value> =
  | { readonly kind: "done"; readonly value: Value }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "late" }
  | { readonly kind: "aborted" };

/** Waits for something for so long, or until a signal. What comes of it later is nobody's. */
export async function withinLimit<Value>(
  work: Promise<Value>,
  { milliseconds, signal }: { readonly milliseconds?: number; readonly signal: AbortSignal },
): Promise<WaitResult<Value>> {
  if (signal.aborted) {
    work.catch(() => {});
    return { kind: "aborted" };
  }
  const { promise, resolve } = Promise.withResolvers<WaitResult<Value>>();
  const aborted = () => resolve({ kind: "aborted" });
  const timer = milliseconds === undefined ? undefined : setTimeout(() => resolve({ kind: "late" }), milliseconds);
  signal.addEventListener("abort", aborted, { once: true });
  work.then(
    (value) => resolve({ kind: "done", value }),
    (error) => resolve({ kind: "failed", error }),
  );
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", aborted);
  }
}
