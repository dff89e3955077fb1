import { afterAll, beforeAll, expect, test } from "vitest";
import type { Embedder } from "../../src/index.ts";
import { createStore, type Store } from "../../src/store/index.ts";
import { homes, newPlace, type Place, whole } from "../homes.ts";

/** A small generator of numbers, the same each time. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
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
const places: Place[] = [];
const stores: Store[] = [];

beforeAll(async () => {
  for (const name of homes) {
    const place = await newPlace(name);
    places.push(place);
    let [at, bytes] = [Date.parse("2026-02-18T00:00:00Z"), 0];
    const random = (into: Uint8Array) => {
      for (let index = 0; index < into.length; index++) into[index] = bytes++ % 36;
    };
    const store = await createStore(place.open(), { now: () => new Date(at), random });
    stores.push(store);
    for (const agent of agents) await store.agents.put({ name: agent, charter: "test" });
    const roll = dice(7);
    for (let number = 0; number < 160; number++) {
      const scope = scopes[number % scopes.length] as (typeof scopes)[number];
      const said = Array.from({ length: 3 + roll(8) }, () => words[roll(words.length)]).join(" ");
      at += roll(3) * 1000;
      await store.memory.save(scope, { text: `${said} of ${scope.agent}/${scope.user ?? ""}` });
    }
  }
}, 120_000);
afterAll(async () => {
  for (const store of stores) await store.close();
  for (const place of places) await place.remove();
});

const searches = whole ? 10_000 : 100;
/** So many at once: what they wait for is mostly a database. */
const together = 20;

test(`${searches} mixed searches find the same on both homes, in the same order, and nobody's note but one's own`, async () => {
  const roll = dice(11);
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
}, 3_600_000);
