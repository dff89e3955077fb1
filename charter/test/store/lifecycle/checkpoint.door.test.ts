import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type CheckpointResult, createStore, type Store } from "../../../src/store/index.ts";
import { readCheckpoint } from "../../../src/store/lifecycle/restore.ts";
import { bothHomes, newPlace } from "../../homes.ts";
import { expectSame, liveThroughAll, newBench } from "./checkpoint-bench.ts";

const { file, open, openEmpty, close } = newBench();
afterAll(close);

/** All but the first line and the last, which say when and where it was saved. */
const rowsIn = (path: string) => gunzipSync(readFileSync(path)).toString().split("\n").slice(1, -2);

describe.each(bothHomes)("a checkpoint saved from %s", (name) => {
  const other = name === "sqlite" ? "postgres" : "sqlite";
  let store: Store;
  let turns: string[];
  let saved: CheckpointResult;
  beforeAll(async () => {
    store = await open(name);
    turns = await liveThroughAll(store);
    saved = await store.checkpoint.save(file(name));
  });

  test(`is the same store again on ${other}, to the byte`, async () => {
    await expectSame({ store, saved, turns }, await openEmpty(other));
  });

  test(`goes to ${other} and back, and is the same file, to the byte`, async () => {
    const saveAtNoon = async ({ home }: Store, path: string) => {
      const standing = await createStore(home, { now: () => new Date("2026-03-01T12:00:00Z") });
      return (await standing.checkpoint.save(path)).file;
    };
    const first = await saveAtNoon(store, file(`${name}-first`));
    let last = first;
    for (const home of [other, name] as const) {
      const next = await openEmpty(home);
      await next.checkpoint.restore(last);
      last = await saveAtNoon(next, file(`${name}-at-${home}`));
      expect(rowsIn(last)).toEqual(rowsIn(first));
    }
    expect(readFileSync(last).equals(readFileSync(first))).toBe(true);
  });

  test("leaves nothing behind when the process that restores it is killed", async () => {
    const place = await newPlace(name);
    onTestFinished(place.remove);
    const source = new URL("../../../src/store/index.ts", import.meta.url).href;
    const script = `import { createStore, ${name} } from ${JSON.stringify(source)};
      const store = await createStore(${name}(${JSON.stringify(place.url)}));
      const progress = (rows, of) => of && rows === ${saved.rows >> 1} && process.kill(process.pid, "SIGKILL");
      await store.checkpoint.restore(${JSON.stringify(saved.file)}, { progress });`;
    const { signal, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    expect([stderr, signal]).toEqual(["", "SIGKILL"]);
    const target = await createStore(place.open());
    onTestFinished(() => target.close());
    const proof = await readCheckpoint((await target.checkpoint.save(file(`${name}-none`))).file);
    expect(proof.tables).toEqual({});
    await target.checkpoint.restore(saved.file);
    expect((await target.checkpoint.save(file(`${name}-none`))).content).toBe(saved.content);
  });
});
