import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { newPlace } from "../../../../test/homes.ts";
import { raw } from "../sql.ts";
import { sqlite } from "./sqlite.ts";

const link = (user: string) =>
  raw(`insert into links (agent, user_id, channel, address, at) values ('ada', '${user}', 'x', '${user}', 'now')`);

async function opened() {
  const place = await newPlace("sqlite");
  onTestFinished(place.remove);
  const home = sqlite(place.url);
  onTestFinished(() => home.close());
  const write = (user: string, fails = false) =>
    home.write("everything", async (db) => {
      await db.run(link(user));
      if (fails) throw new Error("No.");
    });
  const seals = () =>
    home.read("everything", (db) => db.all(raw("select user_id, what, count from seals order by user_id")));
  return { place, write, seals };
}

const sealed = (user_id: string) => ({ user_id, what: "links", count: 1 });

test("a table that was first written in what was undone is sealed in what comes next", async () => {
  const { write, seals } = await opened();
  await expect(write("bo", true)).rejects.toThrow("No.");
  await write("cy");
  expect(await seals()).toEqual([sealed("cy")]);
});

test("it is so within one commit, too, whoever comes first", async () => {
  const { write, seals } = await opened();
  const [undone] = await Promise.allSettled([write("bo", true), write("cy"), write("di", true), write("eve")]);
  expect(undone.status).toBe("rejected");
  await write("fay");
  expect(await seals()).toEqual(["cy", "eve", "fay"].map(sealed));
});

test("a seal that somebody spoiled keeps nobody from writing, and stays as it is", async () => {
  const { place, write, seals } = await opened();
  await write("bo");
  const other = new DatabaseSync(place.url);
  other.exec("update seals set digest = 'none'; update links set address = 'moved'");
  await write("bo");
  expect(other.prepare("select digest from seals").all()).toEqual([{ digest: "none" }]);
  other.close();
  expect(await seals()).toEqual([{ ...sealed("bo"), count: 2 }]);
});

test("another connection to the file leaves the seals as they are, and is not kept from writing", async () => {
  const { place, write, seals } = await opened();
  await write("bo");
  const other = new DatabaseSync(place.url);
  other.exec("update links set address = 'moved'; delete from links");
  other.close();
  expect(await seals()).toEqual([sealed("bo")]);
});
