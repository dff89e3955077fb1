/** What may differ between two addresses that ask the same: how much of it, in which order, and what it is searched for. */
const details = ["limit", "offset", "query", "words", "event", "from", "to", "minCost", "maxCost", "sort"];

/**
 * Whether the answer to one address may be shown while that to another is on its way: only where both are about the same
 * thing of the same agent and the same user. One user's words are never shown under another's name.
 */
export function isSameQuestion(before: string | undefined, now: string | undefined): boolean {
  return before !== undefined && now !== undefined && questionOf(before) === questionOf(now);
}

function questionOf(path: string): string {
  const [place = "", query = ""] = path.split("?");
  const asked = new URLSearchParams(query);
  for (const detail of details) asked.delete(detail);
  asked.sort();
  return `${place}?${asked}`;
}
