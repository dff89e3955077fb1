import { distance } from "../amend/override/misspelling.ts";

/** The name that was most likely meant by one that is not there: a slip or two away; none, where it is further. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const asked = plain(name);
  const most = asked.length < 4 ? 1 : 2;
  const near = names
    .map((one) => ({ one, slips: distance(asked, plain(one), most) }))
    .filter(({ slips }) => slips <= most)
    .toSorted((one, other) => one.slips - other.slips);
  return near[0]?.one;
}

/** `idle_hours` and `idleHours` are one name, written twice. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[_\s-]/g, "");
}
