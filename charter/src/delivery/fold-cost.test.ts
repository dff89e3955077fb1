import { expect, test } from "vitest";
import { anthropicLike, assistantSays, type byCharacter, createTalk, openaiLike } from "../../test/delivery/talk.ts";
import { defineCharter } from "../prompt/charter.ts";
import { fromText } from "../prompt/reading.ts";
import type { Receiver } from "./receiver.ts";

const shelf = defineCharter({
  name: "shelf",
  layers: [
    { name: "law", mutability: "fixed", sections: [{ name: "law", words: "L".repeat(2000) }] },
    { name: "project", mutability: "live", sections: [{ name: "project", trust: "own", sources: [] }] },
    { name: "now", mutability: "live", sections: [{ name: "arrival", trust: "own", sources: [], stability: "event" }] },
  ],
});

/** The text of a turn: as long as said, and quite another every time. */
const words = (turn: number, length: number) => `${turn}`.repeat(length).slice(0, length);

/** What became of the prefix, turn by turn, and what stands in the messages in the end. */
function lived(receiver: Receiver, turns: number, length: number, { counted = true, said = "Hm.", cold = false } = {}) {
  const talk = createTalk(shelf, receiver);
  const changes = Array.from({ length: turns }, (_, turn) => {
    const readings = { project: fromText(words(turn, length)), arrival: fromText("Bo came in.") };
    const { delivery } = talk.ask(readings, {
      input: said,
      cold: cold && turn > 0,
      ...(counted ? {} : { tokenizer: undefined as unknown as typeof byCharacter }),
    });
    talk.answer(assistantSays(said));
    const { prefixChange } = delivery;
    return prefixChange.how === "folded" ? prefixChange.reason : prefixChange.how;
  });
  return { changes, updates: talk.past.filter((message) => "update" in message).length };
}

const costly = "a new prefix costs less than the messages that tell of changes";
const long = "the messages that tell of changes are longer than the prefix";

test("where a new prefix costs less, a session folds though its cache is warm; an event stays", () => {
  const { changes, updates } = lived(anthropicLike, 4, 5000);
  expect(changes).toEqual(["opened", costly, costly, costly]);
  expect(updates).toBe(1);
});

test("the longer the history that would be written anew, the later it folds", () => {
  const said = "H".repeat(10_000);
  expect(lived(anthropicLike, 6, 5000, { said }).changes.slice(1)).toEqual(Array(5).fill("updated"));
  const many = lived(anthropicLike, 60, 5000, { said: "H".repeat(1000) }).changes;
  expect([many.indexOf(costly) > 3, many.includes(costly)]).toEqual([true, true]);
});

test("where no price is known, updates fold that are longer than the prefix", () => {
  const { changes } = lived({ ...openaiLike, price: null }, 5, 1800);
  expect(changes).toEqual(["opened", "updated", "updated", long, "updated"]);
});

test("without a tokenizer characters are weighed, four to a token", () => {
  expect(lived({ ...openaiLike, price: null }, 5, 1800, { counted: false }).changes).toEqual([
    "opened",
    "updated",
    "updated",
    long,
    "updated",
  ]);
});

test("what is short is carried, whatever it costs, and a receiver that keeps the conversation is told and not folded", () => {
  const short = lived({ ...openaiLike, price: { input: 1, read: 100, write: 1, output: 1 } }, 4, 100).changes;
  expect(short).toEqual(["opened", "updated", "updated", "updated"]);
  const kept = lived({ ...openaiLike, price: null, keepsHistory: true }, 5, 5000).changes;
  expect(kept).toEqual(["opened", "updated", "updated", "updated", "updated"]);
});

const binding: Receiver = { ...anthropicLike, voice: "system", binds: true };

test("a cold cache folds a receiver that binds its reasoning by price alone: all of it is sent anew either way", () => {
  const long = { said: "H".repeat(3000) };
  const all = (how: string) => ["opened", how, how, how];
  expect(lived(binding, 4, 1200, long).changes).toEqual(all("updated"));
  expect(lived(binding, 4, 1200, { ...long, cold: true }).changes).toEqual(all(costly));
  expect(lived(binding, 4, 100, { ...long, cold: true }).changes).toEqual(all("updated"));
  const { binds: _, ...free } = binding;
  expect(lived(free, 4, 100, { ...long, cold: true }).changes).toEqual(all("the cache is cold"));
});
