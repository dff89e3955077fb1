import type { Home } from "./home/database.ts";
import type { Texts } from "./texts/text.ts";

/** Database, texts, clock and ids: what every part of a store works with. */
export type StoreDeps = {
  readonly home: Home;
  readonly texts: Texts;
  readonly now: () => string;
  readonly newId: NewId;
};

/** Returns a new id for a row: ids sort by the time they were made, and no two are alike on any machine. */
export type NewId = () => string;

export function createIds(now: () => Date, random: (bytes: Uint8Array) => void): NewId {
  let last = 0;
  let count = 0;
  // Calls for random bytes are slow, so 100 ids' worth are fetched at once.
  const pool = new Uint8Array(6 * 100);
  let used = pool.length;
  return () => {
    const time = Math.max(now().getTime(), last);
    count = time === last ? count + 1 : 0;
    last = time;
    if (used === pool.length) random(pool);
    used = (used % pool.length) + 6;
    let tail = "";
    for (let at = used - 6; at < used; at++) tail += ((pool[at] as number) % 36).toString(36);
    return `${time.toString(36).padStart(9, "0")}${count.toString(36).padStart(2, "0")}${tail}`;
  };
}
