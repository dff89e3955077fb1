/** Which revision an address names: a whole number from 0 to the newest. */
export function revisionIn(asked: string | undefined, newest: number): number {
  const revision = Math.trunc(Number(asked));
  return Number.isFinite(revision) ? Math.min(Math.max(revision, 0), newest) : 0;
}

/** A revision's words; null when they were erased, undefined when they are not known. */
export function textOf(
  amendments: readonly { readonly revision: number; readonly after: string | null }[] | undefined,
  revision: number,
): string | null | undefined {
  return amendments?.find((one) => one.revision === revision)?.after;
}
