import { expect } from "vitest";
import type { Embedder } from "../../src/index.ts";
import { createStore, type Store } from "../../src/store/index.ts";
import { bothHomes, newPlace, type Place } from "../homes.ts";
import { randomFrom, seed } from "../tiers/search.ts";

/** Numbers from 0 up to a number of sides. */
function dice(start: number): (sides: number) => number {
  const random = randomFrom(start);
  return (sides) => Math.floor(random() * sides);
}

const words = `the my a is in her sister sisters lives living live house houses tea coffee green running runs birthday
  brthday die der Schwester Schwestern wohnt wohnen Haus Häuser Hausschlüssel le les cheval chevaux maison maisons habite la
  hermana hermanas vive vivir casa casas сестра сёстры живёт жить дом дома 東京に住んでいます 绿茶 ชาเขียว 2026-02-18 1,234.50 c++ f(x)
  x_y.txt bo@example.com 🐈 % ' "green tea" -tea -"the house" zzgl ٣ straße naïve`.match(/-?"[^"]*"|\S+/g) as string[];

const embedder: Embedder = {
  name: "letters",
  embed: async (texts) =>
    texts.map((text) => {
      const vector = new Float32Array(64).fill(0.001);
      for (const letter of text) {
        const place = (letter.codePointAt(0) as number) % 64;
        vector[place] = (vector[place] as number) + 1;
      }
      return vector;
    }),
};

const agents = ["ada", "eve"];
const users = ["a", "b", "c", undefined];
const scopes = agents.flatMap((agent) => users.map((user) => ({ agent, ...(user === undefined ? {} : { user }) })));

/** A store with notes of everyone, the same wherever it is. */
async function remembering(place: Place): Promise<Store> {
  let [at, bytes] = [Date.parse("2026-02-18T00:00:00Z"), 0];
  const random = (into: Uint8Array) => {
    for (let index = 0; index < into.length; index++) into[index] = bytes++ % 36;
  };
  const store = await createStore(place.open(), { now: () => new Date(at), random });
  for (const agent of agents) await store.agents.put({ name: agent, charter: "test" });
  const roll = dice(7);
  for (let number = 0; number < 160; number++) {
    const scope = scopes[number % scopes.length] as (typeof scopes)[number];
    const said = Array.from({ length: 3 + roll(8) }, () => words[roll(words.length)]).join(" ");
    at += roll(3) * 1000;
    await store.memory.save(scope, { text: `${said} of ${scope.agent}/${scope.user ?? ""}` });
  }
  return store;
}

/** So many at once: what they wait for is mostly a database. */
const together = 20;

/** Searches at random find the same on both homes, in the same order, and nobody's note but one's own. */
export async function searchBoth(searches: number): Promise<void> {
  const places: Place[] = [];
  const stores: Store[] = [];
  try {
    for (const name of bothHomes) {
      const place = await newPlace(name);
      places.push(place);
      stores.push(await remembering(place));
    }
    await search(stores, searches);
  } finally {
    for (const store of stores) await store.close();
    for (const place of places) await place.remove();
  }
}

async function search(stores: readonly Store[], searches: number): Promise<void> {
  const roll = dice(seed);
  const asked = Array.from({ length: searches }, () => ({
    scope: scopes[roll(scopes.length)] as (typeof scopes)[number],
    query: Array.from({ length: 1 + roll(4) }, () => words[roll(words.length)]).join(" "),
    page: { limit: 1 + roll(20), offset: roll(3) },
    withMeaning: roll(2) === 1,
  }));
  const found = new Map<string, number>();
  const [byWords, byMeaning] = [
    stores.map(({ memory }) => memory),
    stores.map(({ memory }) => memory.withEmbedder(embedder)),
  ];
  // Vectors are made before a scope's first search.
  for (const memory of byMeaning) for (const scope of scopes) await memory.search(scope, "tea");
  const check = async ({ scope, query, page, withMeaning }: (typeof asked)[number]) => {
    const [one, other] = await Promise.all(
      (withMeaning ? byMeaning : byWords).map((memory) => memory.search(scope, query, page)),
    );
    expect([query, other]).toEqual([query, one]);
    expect([query, one?.notes.map((note) => note.scope)]).toEqual([query, one?.notes.map(() => scope)]);
    const by = one?.notes.length ? one.by : "nothing";
    found.set(by, (found.get(by) ?? 0) + 1);
  };
  for (let from = 0; from < searches; from += together)
    await Promise.all(asked.slice(from, from + together).map(check));
  // Every way of finding was met.
  for (const by of ["all-words", "any-word", "substring"]) expect([by, found.get(by) ?? 0]).not.toEqual([by, 0]);
}
