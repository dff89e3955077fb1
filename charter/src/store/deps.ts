import type { Home } from "./home/database.ts";
import type { Texts } from "./texts/text.ts";

/** What every part of a store works with. */
export type StoreDeps = {
  readonly home: Home;
  readonly texts: Texts;
  readonly now: () => string;
  readonly newId: NewId;
};

/** A name for a row: sorts by the time it was made, and no two are alike on any machine. */
export type NewId = () => string;

export function createIds(now: () => Date, random: (bytes: Uint8Array) => void): NewId {
  let last = 0;
  let count = 0;
  // Asking for random bytes is what takes long, so they are asked for in stock.
  const pool = new Uint8Array(6 * 100);
  let used = pool.length;
  return () => {
    const time = Math.max(now().getTime(), last);
    count = time === last ? count + 1 : 0;
    last = time;
    if (used === pool.length) random(pool);
    used = (used % pool.length) + 6;
    const bytes = pool.subarray(used - 6, used);
    const tail = Array.from(bytes, (byte) => (byte % 36).toString(36)).join("");
    return `${time.toString(36).padStart(9, "0")}${count.toString(36).padStart(2, "0")}${tail}`;
  };
}
