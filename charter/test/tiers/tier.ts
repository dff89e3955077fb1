/**
 * The three tiers of the tests, told by a file's name: a test is in the first unless it says otherwise.
 *
 * | name                 | tier                                                                        |
 * |----------------------|-----------------------------------------------------------------------------|
 * | `x.test.ts`          | logic: in this process, on SQLite                                           |
 * | `x.door.test.ts`     | doors: processes, PostgreSQL, a browser                                     |
 * | `x.search.test.ts`   | search: random, repeated, exhaustive                                        |
 * | `x.homes.test.ts`    | logic on SQLite, doors on PostgreSQL: what both homes of a store promise    |
 * | `x.property.test.ts` | logic with few values and a fixed seed, search with many and a seed of its own |
 */
export type Tier = "logic" | "doors" | "search";

const doors = "**/*.door.test.ts";
const search = "**/*.search.test.ts";
const everywhere = ["charter/src", "charter/test", "examples", "studio"];
const named = (pattern: string) => everywhere.map((folder) => `${folder}/${pattern}`);

export const files: Readonly<Record<Tier, { readonly include: string[]; readonly exclude: string[] }>> = {
  logic: { include: named("**/*.test.ts"), exclude: [doors, search] },
  doors: { include: [doors, "**/*.homes.test.ts"].flatMap(named), exclude: [] },
  search: { include: [search, "**/*.property.test.ts"].flatMap(named), exclude: [] },
};

/** The tier that runs now. Scripts that borrow from the tests have none: for them everything is there, as for the doors. */
export const tier: Tier = (process.env.CHARTER_TIER as Tier | undefined) ?? "doors";
