import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { raw, sql } from "../../../src/store/home/sql.ts";
import { createStore, type Store } from "../../../src/store/index.ts";
import { counterpartKey } from "../../../src/store/scope.ts";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { homes, newPlace, type Place } from "../../homes.ts";
import { answerMessage } from "../answer-message.ts";
import { attachmentOf } from "../attachment.ts";
import { problemOf } from "./given.ts";

const scope = { agent: "ada", user: "bo" };
const photo = attachmentOf("the bytes of a photo", "photo.txt");

describe.each(homes)("attachments, on %s", (name) => {
  let store: Store;
  let place: Place;
  let days = 0;
  const now = () => new Date(Date.UTC(2026, 1, 18) + days * 86_400_000);
  beforeEach(async () => {
    days = 0;
    place = await newPlace(name);
    store = await createStore(place.open(), { now });
    await store.agents.put({ name: "ada", charter: "test" });
    await store.agents.put({ name: "eve", charter: "test" });
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });
  const rows = (of: Store = store) =>
    of.home.read("everything", (db) =>
      db.all<{ agent: string; user_id: string; size: number }>(
        raw("select agent, user_id, size from attachments order by agent, user_id, digest"),
      ),
    );
  const open = (whose: { agent: string; user?: string }, ...attachments: (typeof photo)[]) =>
    store.turns.open({ scope: whose, input: "Look.", attachments });

  test("are kept once by their digest for each scope, and each turn says what it came with", async () => {
    const { data: _, ...about } = photo;
    const again = { ...photo, name: "the-same.txt" };
    expect((await open(scope, photo)).attachments).toEqual([about]);
    const second = await open(scope, again, attachmentOf("other bytes"));
    expect((await store.turns.get(second.id)).attachments?.map((one) => one.name)).toEqual([
      "the-same.txt",
      "notes.txt",
    ]);
    await open({ agent: "ada", user: "cy" }, photo);
    expect(await rows()).toHaveLength(3);
    expect(await store.attachments.get(scope, photo.digest)).toEqual({
      digest: photo.digest,
      mediaType: "text/plain",
      data: expect.anything(),
    });
    const all = await store.attachments.getAll(scope, [photo.digest, photo.digest, "0".repeat(64)]);
    expect([...all].map(([digest, data]) => [digest, Buffer.from(data).toString()])).toEqual([
      [photo.digest, "the bytes of a photo"],
    ]);
    expect((await store.turns.open({ scope, input: "Without." })).attachments).toBeUndefined();
  });

  test("another user, another agent and the agent itself cannot read them", async () => {
    await open(scope, photo);
    for (const other of [{ agent: "ada", user: "cy" }, { agent: "eve", user: "bo" }, { agent: "ada" }])
      expect(await problemOf(store.attachments.get(other, photo.digest))).toMatch(/^unknown-attachment: /);
  });

  test("one whose bytes are not what its digest says is kept nowhere, nor is its turn", async () => {
    const forged = { ...photo, digest: "0".repeat(64) };
    expect(await problemOf(open(scope, forged))).toMatch(/^attachment-changed: /);
    expect([await rows(), await store.turns.list()]).toEqual([[], []]);
  });

  test("are erased with their user, and with the last turn that came with them", async () => {
    await open(scope, photo);
    await open({ agent: "ada", user: "cy" }, photo);
    const letter = counterpartTurn(store);
    await letter;
    expect(await rows()).toHaveLength(3);
    const { rows: gone } = await store.erase({ user: "bo" });
    expect(gone.attachments).toBe(1);
    expect((await rows()).map(({ user_id }) => user_id)).toEqual(["", "cy"]);
    expect((await store.turns.list({ agent: "ada", user: "bo" })).map((turn) => turn.attachments)).toEqual([undefined]);
    await store.erase({ user: counterpartKey("MAX") });
    expect((await rows()).map(({ user_id }) => user_id)).toEqual(["cy"]);
    expect(await verifyStore(store.home)).toMatchObject({ attachments: 1, faults: [] });
    await store.remove("ada", { erase: true });
    expect(await rows()).toEqual([]);
  });

  test("are in the export and in a checkpoint, and come back from it byte for byte", async () => {
    await open(scope, photo);
    const { agents } = await store.export({ user: "bo" });
    const { data: _, ...about } = photo;
    expect(agents[0]?.attachments).toEqual([
      {
        digest: photo.digest,
        mediaType: "text/plain",
        size: photo.bytes,
        at: now().toISOString(),
        erasedAt: null,
        data: Buffer.from("the bytes of a photo").toString("base64"),
      },
    ]);
    expect(agents[0]?.turns[0]).toMatchObject({ attachments: [about] });
    const file = join(mkdtempSync(join(tmpdir(), "charter-attachments-")), "saved.checkpoint");
    await store.checkpoint.save(file);
    const other = await newPlace("sqlite");
    const copy = await createStore(other.open());
    await copy.checkpoint.restore(file);
    const { data } = await copy.attachments.get(scope, photo.digest);
    expect(Buffer.from(data).toString()).toBe("the bytes of a photo");
    expect(await verifyStore(copy.home)).toMatchObject({ attachments: 1, faults: [] });
    await copy.close();
    await other.remove();
  });

  test("their bytes are let go when no turn came with them for so long, and it is still known what they were", async () => {
    const old = await open(scope, photo, attachmentOf("old bytes"));
    days = 10;
    await open(scope, photo);
    days = 12;
    expect(await store.retain({ attachments: 5 }, { dryRun: true })).toMatchObject({ attachments: 1, bytes: 9 });
    expect(await store.retain({ attachments: 5 })).toMatchObject({ attachments: 1, bytes: 9 });
    const gone = attachmentOf("old bytes").digest;
    expect(await problemOf(store.attachments.get(scope, gone))).toMatch(/^erased: /);
    expect((await store.attachments.getAll(scope, [gone])).size).toBe(0);
    expect((await store.turns.get(old.id)).attachments).toHaveLength(2);
    expect(await verifyStore(store.home)).toMatchObject({ attachments: 2, faults: [] });
    await open(scope, attachmentOf("old bytes"));
    expect((await store.attachments.get(scope, gone)).digest).toBe(gone);
  });

  test("one that was changed or taken away behind the store's back is found", async () => {
    await open(scope, photo, attachmentOf("taken"));
    await store.home.write("everything", async (db) => {
      await db.run(sql`update attachments set body = ${new Uint8Array([1])} where digest = ${photo.digest}`);
      await db.run(sql`delete from attachments where digest = ${attachmentOf("taken").digest}`);
    });
    const { faults } = await verifyStore(store.home);
    expect(faults.map(({ table, what, row }) => [table, what, row])).toEqual([
      ["attachments", "edited", `agent ada, user bo, digest ${photo.digest}`],
      ["attachments", "missing", `agent ada, user bo, digest ${attachmentOf("taken").digest}`],
    ]);
    expect(await problemOf(store.attachments.get(scope, photo.digest))).toMatch(/^attachment-changed: /);
  });

  test("which kinds a model refused is known to all, by where it is served", async () => {
    const served = { model: "local/small", address: "http://localhost:1234/v1" };
    expect(await store.refusedKinds.of(served)).toEqual([]);
    await store.refusedKinds.learn(served, "image");
    await store.refusedKinds.learn(served, "image");
    expect(await store.refusedKinds.of(served)).toEqual(["image"]);
    expect(await store.refusedKinds.of({ ...served, address: "http://other/v1" })).toEqual([]);
  });
});

/** The agent's own turn, on what a counterpart wrote. */
async function counterpartTurn(store: Store): Promise<void> {
  const turn = await store.turns.open({ scope: { agent: "ada" }, input: "A letter.", attachments: [photo] });
  const { id } = await store.inbox.post({ agent: "ada", sender: "MAX", body: "Look at this." });
  await store.inbox.claim("ada", turn.id);
  await answerMessage(store.inbox, { agent: "ada", message: id, reply: "Seen.", turn: turn.id });
}
