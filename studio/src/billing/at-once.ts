/** So many turns are asked for first: how large they are says how many may be asked for at once. */
export const aFew = 8;

/** So many sections are read at once, of all turns together. */
const maxSections = 8_000;

/** How many turns are read at once where the largest of a few has so many sections; never fewer than those few. */
export function atOnce(wanted: number, sections: number): number {
  return Math.max(Math.min(wanted, aFew), Math.min(wanted, Math.floor(maxSections / Math.max(1, sections))));
}
