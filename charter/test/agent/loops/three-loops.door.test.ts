import { beforeAll, describe, expect, test } from "vitest";
import { costOf, type LoopCost, loopBounds } from "../../../../bench/cost/loops.ts";
import { wireBlocks } from "../../../../bench/cost/wire.ts";
import { type LoopName, loopNames } from "./loops.ts";
import { type StoryResult, tellStory } from "./story.ts";

const stories = new Map<LoopName, StoryResult>();
beforeAll(async () => {
  for (const name of loopNames) stories.set(name, await tellStory(name));
});

describe.for(loopNames)("twenty turns by %s", (name) => {
  const story = () => stories.get(name) as StoryResult;

  test("are one session, in which two turns were stopped and one was killed", () => {
    const { turns } = story();
    expect(new Set(turns.map(({ session }) => session)).size).toBe(1);
    const states = turns.map(({ state }, index) => (state === "answered" ? "" : `${index + 1} ${state}`));
    expect(states.filter((state) => state !== "")).toEqual(["9 failed", "10 failed", "15 interrupted"]);
  });

  test("ran each tool once, what was held after its approval, and what was killed never again", () => {
    const found = (...calls: readonly number[]) => calls.map((one) => `find_book c${`${one}`.padStart(2, "0")}`);
    const { ran, requests } = story();
    expect(ran).toEqual([
      ...found(1, 2, 3),
      ...["read_page c05", "pay c06"],
      ...[...found(7), "copy_all c08"],
      ...[...found(9, 10, 11), "copy_all c12"],
      ...found(13, 14, 15, 16),
    ]);
    const told = requests.find(({ turn }) => turn === 16)?.body;
    expect(told?.match(/whether it took effect is not known/g)).toHaveLength(2);
  });

  test("sent back all reasoning of the model that was asked, from its last new beginning on", () => {
    const { requests } = story();
    let count = 0;
    const beginnings = new Set<string>();
    for (const [index, { path, body }] of requests.entries()) {
      const sent = wireBlocks(body, () => 0).filter(({ role }) => role === "assistant");
      const thoughts = requests.slice(0, index).flatMap((before) => {
        if (typeof before.said === "string" || before.path !== path) return [];
        const { thought = "", text = [], calls = [] } = before.said;
        const words = text[0] ?? calls[0]?.id ?? "";
        if (!sent.some((block) => block.text.split("\n").includes(words))) return [];
        return [{ words, isSent: sent.some((block) => block.text.includes(thought)) }];
      });
      const from = thoughts.findIndex(({ isSent }) => isSent);
      const since = from === -1 ? [] : thoughts.slice(from);
      expect(since.filter(({ isSent }) => !isSent)).toEqual([]);
      if (from > 0) beginnings.add(since[0]?.words ?? "");
      count += since.length;
    }
    expect([beginnings.size, count > 200]).toEqual([1, true]);
  });

  test("can all be made again from the record, byte for byte", () => {
    const { requests, replayed } = story();
    const sent = requests.map(({ body }) => body);
    expect(new Set(replayed)).toEqual(new Set(sent));
  });
});

test("each loop goes on from what was cached, and is billed what createAgent is", () => {
  const costs: LoopCost[] = loopNames.map((name) => costOf(name, stories.get(name) as StoryResult));
  expect(loopBounds(costs).filter(({ figure, max }) => figure > max)).toEqual([]);
});
