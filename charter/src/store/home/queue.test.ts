import { expect, test } from "vitest";
import { Problem } from "../../prompt/problem.ts";
import type { Database, Home } from "./database.ts";
import { createRoom } from "./queue.ts";
import type { Query } from "./sql.ts";

/** A disk that is full, and on which what is asked of it can be seen. */
function newDisk() {
  const asked: string[] = [];
  const disk = { fails: undefined as unknown };
  const db = {
    run: async ({ texts }: Query) => {
      asked.push(texts.join("?"));
      if (disk.fails) throw disk.fails;
      return 1;
    },
  } as unknown as Database;
  const write: Home["write"] = (_reach, work) => room.noted(work(db));
  const room = createRoom(write);
  return { disk, asked, room, write };
}

const full = new Problem("disk-full", "There is no room left.", "Free some space.");

test("while writes are kept, or fail for another reason, the disk is not asked", async () => {
  const { disk, asked, room, write } = newDisk();
  await write("everything", async () => "kept");
  disk.fails = new Problem("store-busy", "It is busy.", "Wait.");
  await expect(write("everything", (db) => db.run({ texts: ["one"], values: [] }))).rejects.toBe(disk.fails);
  expect([await room.lacking(), asked]).toEqual([undefined, ["one"]]);
});

test("after a write that found no room, a small one is tried until there is room", async () => {
  const { disk, asked, room, write } = newDisk();
  disk.fails = full;
  await expect(write("everything", (db) => db.run({ texts: ["one"], values: [] }))).rejects.toBe(full);
  // One that writes nothing is kept on a full disk as well.
  await write("everything", async () => "nothing");
  expect(await room.lacking()).toBe(full);
  expect(await room.lacking()).toBe(full);
  disk.fails = undefined;
  expect(await room.lacking()).toBeUndefined();
  expect(asked).toHaveLength(4);
  expect(await room.lacking()).toBeUndefined();
  expect(asked).toHaveLength(4);
});
