import { expect, test } from "vitest";
import { newPlace, type PlaceName, whole } from "../../homes.ts";
import { runHostile } from "./hostile-run.ts";

const runs: readonly (readonly [home: PlaceName, posts: number, sent: number])[] = whole
  ? [
      ["sqlite", 10_000, 500],
      ["postgres", 1500, 200],
    ]
  : [["sqlite", 100, 40]];

for (const [home, posts, sent] of runs)
  test(`${posts} hostile posts, kept in ${home}: none gets a second reply, leaves its fence or reads another's conversation, and none is stuck`, async () => {
    const place = await newPlace(home);
    try {
      const { faults, ...figures } = await runHostile(place, { posts, sent });
      if (whole) process.stdout.write(`${home}: ${JSON.stringify(figures)}\n`);
      expect([...new Set(faults)].slice(0, 20)).toEqual([]);
      expect(figures.answered + figures.dead).toBe(posts + 80);
      for (const [what, count] of Object.entries(figures)) expect([what, count > 0]).toEqual([what, true]);
    } finally {
      await place.remove();
    }
  });
