import { expect } from "vitest";
import { newPlace, type PlaceName } from "../../homes.ts";
import { type HostileFigures, type HostileOptions, plainPosts, runHostile } from "./hostile-run.ts";

/** Every post is answered once or dead, and something was met of each kind. */
export async function expectHarmless(
  home: PlaceName,
  options: HostileOptions,
): Promise<Omit<HostileFigures, "faults">> {
  const place = await newPlace(home);
  try {
    const { faults, ...figures } = await runHostile(place, options);
    expect([...new Set(faults)].slice(0, 20)).toEqual([]);
    expect(figures.answered + figures.dead).toBe(options.posts + plainPosts);
    for (const [what, count] of Object.entries(figures)) expect([what, count > 0]).toEqual([what, true]);
    return figures;
  } finally {
    await place.remove();
  }
}
