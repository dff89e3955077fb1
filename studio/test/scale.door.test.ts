import { expect, test } from "vitest";
import { fillLists } from "../../bench/workloads/listed.ts";
import { measurePages, scalePages } from "./stage/measured.ts";
import { inBrowser } from "./stage/on-stage.ts";
import { openStage } from "./stage/stage.ts";

/** What a page asks for of a house of this size, by page. */
async function askedOf(sizes: Parameters<typeof fillLists>[1]): Promise<Readonly<Record<string, readonly string[]>>> {
  const stage = await openStage({ lived: false });
  try {
    await fillLists(stage.store, sizes);
    const measured = await measurePages(stage, scalePages);
    const number = /\d+/g;
    return Object.fromEntries(
      measured.map(({ page, asked }) => [page, asked.map((one) => one.replaceAll(number, "N"))]),
    );
  } finally {
    await stage.close();
  }
}

inBrowser("what the pages ask of the server", () => {
  test("is the same for 2 agents, 6 people and 24 turns as for 60, 300 and 900: no page asks once per row", async () => {
    const few = await askedOf({ agents: 2, users: 6, turns: 24 });
    const many = await askedOf({ agents: 60, users: 300, turns: 900 });
    expect(many).toEqual(few);
    const most = Object.entries(many).map(([page, asked]) => [page, asked.length] as const);
    expect(most.filter(([, count]) => count > 12)).toEqual([]);
  });
});
