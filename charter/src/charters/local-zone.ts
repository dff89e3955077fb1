/** The machine's time zone. Asking `Intl` costs half a Node start, so a machine on UTC, as most servers are, is not asked. */
export function localZone(): string {
  const offsets = [0, 6].map((month) => new Date(2026, month, 1).getTimezoneOffset());
  if (offsets.every((offset) => offset === 0)) return "UTC";
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
