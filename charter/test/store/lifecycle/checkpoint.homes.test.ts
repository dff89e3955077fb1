import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Problem } from "../../../src/index.ts";
import { raw } from "../../../src/store/home/sql.ts";
import type { Store } from "../../../src/store/index.ts";
import { carriedColumns, carriedTables } from "../../../src/store/lifecycle/checkpoint.ts";
import { readCheckpoint } from "../../../src/store/lifecycle/restore.ts";
import { sha256 } from "../../../src/store/texts/packing.ts";
import { homes } from "../../homes.ts";
import { deskOf, rewrite } from "../desk.ts";
import { take } from "../lived.ts";
import { expectSame, liveThroughAll, newBench } from "./checkpoint-bench.ts";

const { folder, file, open, openEmpty, close } = newBench();
afterAll(close);

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => "fine",
    (error) => (error instanceof Problem ? error.code : error),
  );

describe.each(homes)("a checkpoint saved from %s", (name) => {
  let store: Store;
  let turns: string[];
  beforeAll(async () => {
    store = await open(name);
    turns = await liveThroughAll(store);
  });

  test("is the same store again, to the byte", async () => {
    const saved = await store.checkpoint.save(file(`${name}-same`));
    const restored = await openEmpty(name);
    await expectSame({ store, saved, turns }, restored);
  });

  test("goes on where it ended: revisions, receipts, events and notes", async () => {
    const saved = await store.checkpoint.save(file(`${name}-on`));
    const restored = await openEmpty(name);
    await restored.checkpoint.restore(saved.file);
    const [newest] = await restored.events.list({ limit: 1 });
    const [last] = await restored.history.list({ agent: "ada" }, "goals", { limit: 1 });
    const outcome = await restored.propose(deskOf(), rewrite("Onward."));
    expect(outcome).toMatchObject({ verdict: "accepted", revision: 5, amendment: { previous: last?.digest } });
    const note = await restored.memory.save({ agent: "ada", user: "bo" }, { text: "a newer note" });
    expect(await restored.memory.list({ agent: "ada", user: "bo" })).toContainEqual(note);
    const [after] = await restored.events.list({ limit: 1 });
    expect(after?.id).toBeGreaterThan(newest?.id as number);
    const before = (await restored.steps.of(turns[7] as string))[0];
    const turn = await take(restored, "ada", "bo", "next");
    expect((await restored.steps.of(turn))[0]).toMatchObject({ number: 9, previous: before?.digest });
  });

  test("of one agent holds its rows and the texts they name, and no token", async () => {
    const saved = await store.checkpoint.save(file(`${name}-eve`), { agent: "eve" });
    expect(saved.agents).toEqual(["eve"]);
    const { tables } = await readCheckpoint(saved.file);
    expect(tables).toMatchObject({ agents: 1, users: 2, amendments: 13, steps: 8, hash_chains: 1 });
    expect(tables).not.toHaveProperty("tokens");
    const words = gunzipSync(readFileSync(saved.file)).toString();
    expect(words).not.toMatch(/goals of ada|bo ada/);
    const restored = await open(name);
    await restored.checkpoint.restore(saved.file);
    expect((await restored.agents.list()).map((agent) => agent.name)).toEqual(["ada", "eve"]);
    expect((await restored.checkpoint.save(file(`${name}-eve-again`), { agent: "eve" })).content).toBe(saved.content);
    expect(await codeOf(restored.checkpoint.save(file("none"), { agent: "mia" }))).toBe("unknown-agent");
  });

  test("does not touch an agent that is there, unless it is to be replaced", async () => {
    const saved = await store.checkpoint.save(file(`${name}-there`), { agent: "ada" });
    const restored = await open(name);
    await restored.propose(deskOf(), rewrite("Mine."));
    const mine = await restored.checkpoint.save(file(`${name}-mine`));
    expect(await codeOf(restored.checkpoint.restore(saved.file))).toBe("agent-exists");
    expect((await restored.checkpoint.save(file(`${name}-mine`))).content).toBe(mine.content);
    await restored.checkpoint.restore(saved.file, { replace: true });
    expect((await restored.checkpoint.save(file(`${name}-ada`), { agent: "ada" })).content).toBe(saved.content);
  });

  test("what was seen elsewhere stays seen when an agent is replaced by what it was before", async () => {
    const { publications, checkpoint } = await open(name);
    const place = { agent: "ada", section: "core", address: "30174:ada" };
    const head = (id: string, createdAt: number) => ({ id, createdAt, digest: null, place: "wss://a" });
    await publications.noteSeen(place, head("e1", 100));
    const saved = await checkpoint.save(file(`${name}-seen`), { agent: "ada" });
    await publications.noteSeen(place, head("e2", 200));
    await publications.noteSeen({ ...place, address: "30174:eve" }, head("e3", 50));
    await checkpoint.restore(saved.file, { replace: true });
    const seenAt = async (address: string) => (await publications.state({ ...place, address })).seen;
    expect([await seenAt("30174:ada"), await seenAt("30174:eve")]).toMatchObject([head("e2", 200), head("e3", 50)]);
  });

  test("that a key is new is not restored: it may have been written with since, where the checkpoint was made", async () => {
    const { events, checkpoint } = await open(name);
    await events.record({ scope: { agent: "ada" }, kind: "key-is-new", detail: { key: "aa" } });
    const saved = await checkpoint.save(file(`${name}-born`), { agent: "ada" });
    const restored = await open(name);
    await restored.checkpoint.restore(saved.file, { replace: true });
    expect(await restored.events.list({ agent: "ada", kind: "key-is-new" })).toEqual([]);
  });

  test("keeps every column of every table", async () => {
    const counted = { memories: ["number", "search", "stems"], events: ["id"], turns: ["worded"] } as Record<
      string,
      string[]
    >;
    for (const made of carriedTables(store.home.schema.tables)) {
      const [table, columns] = [made.name, carriedColumns(made)];
      const row = await store.home.read("everything", (db) => db.one<object>(raw(`select * from ${table} limit 1`)));
      const there = Object.keys(row ?? {}).filter((column) => !counted[table]?.includes(column));
      expect([table, there.toSorted()]).toEqual([table, columns.toSorted()]);
    }
  });

  test("a file that cannot be trusted changes nothing", async () => {
    const { file: good } = await store.checkpoint.save(file(`${name}-good`));
    const bytes = readFileSync(good);
    const text = gunzipSync(bytes).toString();
    const lines = text.split("\n");
    const packed = (words: string) => gzipSync(words);
    const flipped = Buffer.from(bytes);
    flipped[bytes.length >> 1] = (flipped[bytes.length >> 1] as number) ^ 0x10;
    const without = lines.toSpliced(10, 1).join("\n");
    const bad: [what: string, content: Uint8Array, code: string][] = [
      ["nothing", Buffer.alloc(0), "not-a-checkpoint"],
      ["words", Buffer.from("hello"), "not-a-checkpoint"],
      ["a foreign archive", packed("some other file\nwith lines\n"), "not-a-checkpoint"],
      ["foreign JSON", packed('{"name":"charter"}\n'), "not-a-checkpoint"],
      ["cut short", bytes.subarray(0, bytes.length - 100), "checkpoint-damaged"],
      ["cut to a few bytes", bytes.subarray(0, 30), "checkpoint-damaged"],
      ["a flipped bit", flipped, "checkpoint-damaged"],
      ["a line too few", packed(without), "checkpoint-damaged"],
      [
        "two lines swapped",
        packed(text.replace(`${lines[1]}\n${lines[2]}`, `${lines[2]}\n${lines[1]}`)),
        "checkpoint-damaged",
      ],
      ["an edited word", packed(text.replace("Europe/Berlin", "Europe/Dublin")), "checkpoint-damaged"],
      ["without its end", packed(lines.slice(0, -2).join("\n")), "checkpoint-damaged"],
      ["more after its end", packed(`${text}${lines[1]}\n`), "checkpoint-damaged"],
      ["a newer format", packed(text.replace('"charter-checkpoint":1', '"charter-checkpoint":2')), "newer-checkpoint"],
      ["an older schema", packed(text.replace(/"schema":\d+/, '"schema":11')), "older-checkpoint"],
      ["a newer schema", packed(text.replace(/"schema":\d+/, '"schema":99')), "newer-checkpoint"],
    ];
    const target = await openEmpty(name);
    const before = await target.checkpoint.save(file(`${name}-before`));
    for (const [what, content, code] of bad) {
      writeFileSync(file("bad"), content);
      expect([what, await codeOf(target.checkpoint.restore(file("bad")))]).toEqual([what, code]);
    }
    expect(await codeOf(target.checkpoint.restore(file("nowhere")))).toBe("no-such-file");
    expect(await codeOf(target.checkpoint.restore(folder))).toBe("unreadable");
    expect((await target.checkpoint.save(file(`${name}-before`))).content).toBe(before.content);
  });

  test("a file that is exchanged while it is restored changes nothing", async () => {
    const saved = await store.checkpoint.save(file(`${name}-moving`), { agent: "eve" });
    const other = await store.checkpoint.save(file(`${name}-other`), { agent: "ada" });
    const target = await openEmpty(name);
    const exchange = (rows: number, of: number | undefined) => {
      if (of === undefined && rows === saved.rows) renameSync(other.file, saved.file);
    };
    expect(await codeOf(target.checkpoint.restore(saved.file, { progress: exchange }))).toBe("checkpoint-damaged");
    expect(await target.agents.list()).toEqual([]);
  });

  test("a row that another agent has already is named, and nothing is changed", async () => {
    const saved = await store.checkpoint.save(file(`${name}-clash`), { agent: "eve" });
    const target = await open(name);
    const [turn] = (await store.turns.list({ agent: "eve" })).map(({ id }) => id);
    await target.turns.open({ scope: { agent: "ada" }, input: "mine", id: turn as string });
    expect(await codeOf(target.checkpoint.restore(saved.file))).toBe("row-exists");
    expect((await target.agents.list()).map((agent) => agent.name)).toEqual(["ada"]);
  });

  test("what the store has lost is said, and the rest is kept", async () => {
    const target = await openEmpty(name);
    await target.checkpoint.restore((await store.checkpoint.save(file(`${name}-whole`))).file);
    const [row] = await target.history.list({ agent: "ada" }, "goals", { limit: 1 });
    const whole = await target.history.at({ agent: "ada" }, "goals", row?.revision as number);
    const digest = sha256(whole?.after as string);
    await target.home.write("everything", (db) => db.run(raw(`delete from texts where digest = '${digest}'`)));
    const { lost } = await target.checkpoint.save(file(`${name}-lossy`));
    expect(lost).toContainEqual({ owner: "", digest });
    expect((await readCheckpoint(file(`${name}-lossy`))).header.agents).toEqual(["ada", "eve"]);
  });

  test("a file that is no checkpoint is not overwritten, unless that is asked for", async () => {
    writeFileSync(file("diary.txt"), "Dear diary");
    expect(await codeOf(store.checkpoint.save(file("diary.txt")))).toBe("file-exists");
    expect(readFileSync(file("diary.txt"), "utf8")).toBe("Dear diary");
    await store.checkpoint.save(file("diary.txt"), { force: true });
    expect(await codeOf(store.checkpoint.save(file("diary.txt")))).toBe("fine");
    expect(await codeOf(store.checkpoint.save(join(folder, "no", "such", "folder")))).toBe("unwritable");
  });
});
