import type { TurnAnswer } from "charter/answers";
import { expect, test } from "vitest";
import { begun } from "../../kit/unfold.ts";
import { flow } from "./conversation.tsx";
import type { Said } from "./talk.ts";

const turn = (id: string, state = "answered") => ({ id, state }) as TurnAnswer;
const said = (key: string, of?: string): Said => ({
  ...{ key, session: "s", text: "Hi", files: [], at: "2026-02-18T12:00:00.000Z" },
  reply: { ...begun, ...(of === undefined ? {} : { turn: of }) },
});
const keys = (...given: Parameters<typeof flow>) => flow(...given).map(({ key }) => key);

test("the oldest stands first, and what was said here stands where it is on record", () => {
  expect(keys([turn("t3"), turn("t2"), turn("t1")], [said("k2", "t2")])).toEqual(["t1", "k2", "t3"]);
});

test("what is not on record yet stands at the end", () => {
  expect(keys([turn("t1")], [said("k2", "t2"), said("k3")])).toEqual(["t1", "k2", "k3"]);
});

test("what a schedule said stands where it was said, though its turn began earlier", () => {
  const [asked, told] = ["2026-02-18T08:00:01.000Z", "2026-02-18T08:00:02.000Z"];
  const own = { id: "t1", state: "answered", startedAt: asked } as TurnAnswer;
  const schedule = { session: "s", at: told, schedule: "Digest" };
  const its = { id: "t0", state: "answered", startedAt: "2026-02-18T08:00:00.000Z", told: schedule } as TurnAnswer;
  expect(keys([own, its], [])).toEqual(["t1", "t0"]);
});

test("what was erased is not shown from memory", () => {
  expect(keys([turn("t1", "erased")], [said("k1", "t1")])).toEqual(["t1"]);
});
