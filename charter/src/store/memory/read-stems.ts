/** Called for each note of `lines`: its number, how many stems it has, and how often each of those looked for. */
type OnNote = (number: number, length: number, counts: Uint32Array) => void;

const space = 0x20;
const newline = 0x0a;
/** So many places tell most stems apart that nobody looks for. */
const filterSize = 4096;

/**
 * Counts stems in notes that come as lines, each a note's number and its stems, all separated by spaces. One pass over the
 * letters, whatever is looked for, and nothing is made of a stem that nobody looks for: this is most of what a search does.
 */
export function countStems(lines: string, stems: readonly string[], onNote: OnNote): void {
  const counts = new Uint32Array(stems.length);
  const places = new Map<number, number[]>();
  const filter = new Uint8Array(filterSize);
  for (const [place, stem] of stems.entries()) {
    const hash = hashOf(stem);
    places.set(hash, [...(places.get(hash) ?? []), place]);
    filter[hash & (filterSize - 1)] = 1;
  }
  let hash = 0;
  let from = 0;
  let number = -1;
  let length = 0;
  for (let at = 0; at <= lines.length; at++) {
    const code = at < lines.length ? lines.charCodeAt(at) : newline;
    if (code !== space && code !== newline) {
      hash = (Math.imul(hash, 31) + code) | 0;
      continue;
    }
    if (number < 0) number = Number(lines.slice(from, at));
    else {
      length++;
      if (filter[hash & (filterSize - 1)] === 1)
        for (const place of places.get(hash) ?? [])
          if (stems[place]?.length === at - from && lines.startsWith(stems[place], from))
            counts[place] = (counts[place] as number) + 1;
    }
    if (code === newline) {
      onNote(number, length, counts);
      counts.fill(0);
      number = -1;
      length = 0;
    }
    hash = 0;
    from = at + 1;
  }
}

function hashOf(stem: string): number {
  let hash = 0;
  for (let at = 0; at < stem.length; at++) hash = (Math.imul(hash, 31) + stem.charCodeAt(at)) | 0;
  return hash;
}

/** All stems of such lines, each once. */
export function stemsIn(blocks: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const lines of blocks)
    for (const line of lines.split("\n")) for (const stem of line.split(" ").slice(1)) found.add(stem);
  return found;
}
