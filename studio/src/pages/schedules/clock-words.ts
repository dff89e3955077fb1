const when = (zone?: string) =>
  new Intl.DateTimeFormat("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    ...(zone === undefined ? {} : { timeZone: zone }),
  });

/** A time by the clock of whoever looks; and where the clock it goes by shows another hour, that too. */
export function clockWords(time: number, zone?: string): string {
  const here = when().format(time);
  if (zone === undefined) return here;
  const there = when(zone).format(time);
  return there === here ? here : `${here} (${there.slice(-5)} in ${zone})`;
}
