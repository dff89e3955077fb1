/** Who works on something, and until when. */
type Lease = { readonly runner: string | null; readonly leasedUntil: string | null };

/** Whether a process may take a lease: nobody has it, it has it already, it is over, or who has it is gone. */
export function isLeaseFree(
  { runner, leasedUntil }: Lease,
  asks: { readonly runner: string; readonly at: string; readonly isGone?: ((runner: string) => boolean) | undefined },
): boolean {
  if (runner === null || runner === asks.runner || leasedUntil === null || leasedUntil < asks.at) return true;
  return asks.isGone?.(runner) ?? false;
}

/** When a lease that is taken now is over. */
export function endOfLease(at: string, leaseMs: number): string {
  return new Date(Date.parse(at) + leaseMs).toISOString();
}
