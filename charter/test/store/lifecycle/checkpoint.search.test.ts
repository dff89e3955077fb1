import { afterAll, expect, test } from "vitest";
import { raw } from "../../../src/store/home/sql.ts";
import { bothHomes } from "../../homes.ts";
import { times } from "../../tiers/search.ts";
import { newBench } from "./checkpoint-bench.ts";

const { file, open, openEmpty, close } = newBench();
afterAll(close);

test("thousands of rows come back, and their order stays", async () => {
  const count = times(10_000);
  const source = await open("sqlite");
  await source.home.write("everything", async (db) => {
    for (let index = 0; index < count; index++)
      await db.run(
        raw(
          `insert into events (agent, user_id, at, kind, detail) values ('ada', 'u${index % 7}', 't', 'k${index}', '{}')`,
        ),
      );
  });
  const saved = await source.checkpoint.save(file("many"));
  for (const name of bothHomes) {
    const target = await openEmpty(name);
    await target.checkpoint.restore(saved.file);
    const kinds = await target.home.read("everything", (db) =>
      db.all<{ kind: string }>(raw("select kind from events order by id")),
    );
    expect(kinds.map(({ kind }) => kind).slice(-count)).toEqual(Array.from({ length: count }, (_, at) => `k${at}`));
    expect((await target.checkpoint.save(file(`many-${name}`))).content).toBe(saved.content);
  }
});
