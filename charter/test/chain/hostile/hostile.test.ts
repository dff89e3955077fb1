import { expect, test } from "vitest";
import { newPlace, whole } from "../../homes.ts";
import { runHostile } from "./hostile-run.ts";

const posts = whole ? 10_000 : 100;

test(`${posts} hostile posts: none gets a second reply, leaves its fence or reads another's conversation, and none is stuck`, async () => {
  const place = await newPlace("sqlite");
  try {
    const { faults, ...figures } = await runHostile(place, { posts, sent: whole ? 500 : 40 });
    if (whole) process.stdout.write(`${JSON.stringify(figures)}\n`);
    expect([...new Set(faults)].slice(0, 20)).toEqual([]);
    expect(figures.answered + figures.dead).toBe(posts + 80);
    for (const [what, count] of Object.entries(figures)) expect([what, count > 0]).toEqual([what, true]);
  } finally {
    await place.remove();
  }
});
