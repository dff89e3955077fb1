import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { Problem, receiptOf } from "../../../src/index.ts";
import { raw } from "../../../src/store/home/sql.ts";
import { createStore, type Home, type ProposalOutcome, type Store } from "../../../src/store/index.ts";
import { eraseUser } from "../../../src/store/lifecycle/erase.ts";
import { retain } from "../../../src/store/lifecycle/retain.ts";
import { sha256 } from "../../../src/store/texts/packing.ts";
import { createTexts } from "../../../src/store/texts/text.ts";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { homes, newPlace, type Place } from "../../homes.ts";
import { answerMessage, failMessage } from "../answer-message.ts";
import { charter, deskOf, newStore, rewrite } from "../desk.ts";
import { longWords, promptFor } from "../lived.ts";

const open: { store: Store; place: Place }[] = [];
afterAll(async () => {
  for (const { store, place } of open) {
    await store.close();
    await place.remove();
  }
});

const scope = { agent: "ada", user: "bo" };

describe.each(homes)("what goes on while words are erased, on %s", (name) => {
  let store: Store;
  beforeEach(async () => {
    const place = await newPlace(name);
    store = await newStore(place.open());
    open.push({ store, place });
  });

  const opened = async () => {
    const { id } = await store.turns.open({ scope, input: "a nightjar" });
    const kept = receiptOf(charter, await promptFor(store, "ada", "bo"), { sha256 });
    const { step } = await store.turns.recordStep(id, kept);
    return { id, step, kept };
  };

  test("a turn that still runs writes nothing of it down again", async () => {
    const { id, step, kept } = await opened();
    await store.erase({ user: "bo" });
    await store.turns.recordResult(id, step, { partial: "a nightjar" });
    const again = await store.turns.recordStep(id, kept).catch((error: Problem) => error);
    expect(again).toBeInstanceOf(Problem);
    expect(again).toMatchObject({ code: "erased", message: `The turn “${id}” was erased while it ran.` });
    expect(await store.turns.close(id, { reply: "a nightjar" })).toMatchObject({ state: "erased", reply: null });
    expect(await store.steps.of(id)).toMatchObject([{ step, result: null, receipt: null }]);
    expect(await verifyStore(store.home)).toMatchObject({ steps: 1, erased: 1, faults: [] });
  });

  test("what someone proposed while they were erased is not kept, whatever the second opinion says", async () => {
    const ask = async () => {
      await store.erase({ user: "bo" });
      return { opinion: { says: "no" as const } };
    };
    const context = { ...deskOf({ scope }), secondOpinion: () => ({ model: "m/1", ask }) };
    const wish = rewrite("a nightjar", { section: "wishes", actor: "user" });
    const proposed = await store.propose(context, wish).catch((error: Problem) => error);
    expect(proposed).toMatchObject({
      code: "erased",
      message: "“bo” was erased while a second opinion was asked for.",
    });
    expect((await store.erasable({ user: "bo" })).rows).toEqual({});
    expect((await store.standings.read(charter, scope)).wishes).toBe(undefined);
  });

  const chat = { scope, channel: "telegram", address: "100" };
  const linked = async () => {
    const { code } = await store.links.createCode(scope, chat.channel);
    await store.links.redeem(scope.agent, chat.channel, code, chat.address);
    await store.updates.put({ ...chat, id: "1", body: "a nightjar" });
    await store.updates.claim(scope.agent, chat.channel);
  };
  const left = () =>
    store.home.read("everything", async (db) => {
      const rows: unknown[] = [];
      for (const table of ["links", "link_codes", "updates", "dispatches"])
        rows.push(...(await db.all(raw(`select * from ${table} where user_id = 'bo'`))));
      return rows;
    });

  test("nothing is sent of what someone said who was erased meanwhile, and no code of theirs links a chat", async () => {
    await linked();
    const { id: turn } = await opened();
    const { code } = await store.links.createCode(scope, chat.channel);
    await store.erase({ user: "bo" });
    await store.updates.assignTurn("ada", chat.channel, "1", turn);
    await store.updates.renew("ada", chat.channel, "1", 1000);
    await store.updates.complete("ada", chat.channel, "1", [{ ...chat, body: "a nightjar" }]);
    expect(await store.updates.fail("ada", chat.channel, "1", "x", [{ ...chat, body: "a nightjar" }])).toBeUndefined();
    expect(await store.dispatches.add([{ ...chat, body: "a nightjar", turn }])).toEqual([]);
    expect(await store.links.redeem("ada", chat.channel, code, chat.address)).toBeUndefined();
    expect(await left()).toEqual([]);
  });

  test("a turn whose receipts were let go is answered all the same", async () => {
    const { id, step, kept } = await opened();
    await store.retain({ receipts: 0 });
    await store.turns.recordResult(id, step, { usage: { input: 7, read: null, written: null, output: null } });
    expect(await store.turns.recordStep(id, kept)).toMatchObject({ step: 2 });
    expect(await store.turns.close(id, { reply: "a nightjar" })).toMatchObject({ state: "answered" });
    expect(await verifyStore(store.home)).toMatchObject({ steps: 2, erased: 1, faults: [] });
  });

  test("of a message that took two turns, the first forgets it as well, however old its events are", async () => {
    await store.inbox.post({ agent: "ada", sender: "Dee", body: "a nightjar", id: "m1" });
    for (const turn of ["failed", "answered"]) {
      await store.inbox.claim("ada", turn);
      await store.turns.open({ scope: { agent: "ada" }, id: turn, input: "Dee wrote: a nightjar" });
      if (turn === "failed") await failMessage(store.inbox, "ada", "m1", "the model was away");
    }
    await answerMessage(store.inbox, { agent: "ada", message: "m1", reply: "I saw it.", turn: "answered" });
    const later = () => "2027-01-01T00:00:00.000Z";
    await retain({ home: store.home, texts: createTexts(), now: later }, { events: 30 });
    expect(await store.erase({ user: "counterpart:dee" })).toMatchObject({
      agents: ["ada"],
      rows: { turns: 2, inbox: 1 },
    });
    for (const turn of ["failed", "answered"])
      expect(await store.turns.get(turn)).toMatchObject({ input: "", state: "erased" });
  });

  test("texts that someone packed against themselves do not keep it from ending", async () => {
    for (let index = 0; index < 3; index++)
      await store.propose(deskOf({ scope }), rewrite(longWords("nightjar", index), { section: "wishes" }));
    const ring = raw("update texts set base = digest where base is not null");
    expect(await store.home.write("everything", (db) => db.run(ring))).toBe(2);
    await store.retain({ receipts: 0 });
    await store.erase({ user: "bo" });
    expect(await verifyStore(store.home)).toMatchObject({ erased: 3, texts: 0, faults: [] });
  });

  const answer = { ...chat, body: "a nightjar" };
  const writes: readonly (readonly [what: string, write: (store: Store, code: string) => Promise<unknown>])[] = [
    ["an answer", ({ updates }) => updates.complete("ada", chat.channel, "1", [answer])],
    ["a failure", ({ updates }) => updates.fail("ada", chat.channel, "1", "x", [answer])],
    ["an update that dies", ({ updates }) => updates.claim("ada", chat.channel, { dispatchesForDead: () => [answer] })],
    ["a message", ({ dispatches }) => dispatches.add([answer])],
    ["a link", ({ links }, code) => links.redeem("ada", chat.channel, code, "200")],
  ];
  if (name === "postgres")
    for (const [what, write] of writes)
      test(`${what} that is being written goes with the rest: who erases waits for it`, async () => {
        await linked();
        const { code } = await store.links.createCode(scope, chat.channel);
        const over = raw("update updates set tries = 3, leased_until = '2026-01-01T00:00:00.000Z'");
        await store.home.write("everything", (db) => db.run(over));
        const waits = raw(
          "select 1 from pg_locks where not granted and (locktype = 'transactionid' or database = (select oid from pg_database where datname = current_database()))",
        );
        let erased = false;
        let erasing: Promise<unknown> | undefined;
        const home: Home = {
          ...store.home,
          write: (reach, work) =>
            store.home.write(reach, async (db) => {
              const result = await work(db);
              erasing = store.erase({ user: "bo" }).then(() => {
                erased = true;
              });
              while (!erased && !(await db.one(waits)));
              return result;
            }),
        };
        const slow = await createStore(home, { now: () => new Date("2026-02-18T00:05:00Z") });
        await write(slow, code);
        await erasing;
        expect(await left()).toEqual([]);
      });

  if (name === "postgres")
    test("a proposal waits, and is made to what stands after it", async () => {
      await store.propose(deskOf({ scope }), rewrite("a nightjar", { section: "wishes" }));
      let proposed: Promise<ProposalOutcome> | undefined;
      const waiting = raw(
        "select 1 from pg_locks where relation = 'texts'::regclass and not granted and database = (select oid from pg_database where datname = current_database())",
      );
      // The eraser, having begun, goes on when someone waits for it.
      const home: Home = {
        ...store.home,
        write: (reach, work) =>
          store.home.write(reach, async (db) => {
            await db.run(raw("lock table texts in access exclusive mode"));
            const operation = { kind: "append", content: "and a wren" } as const;
            proposed = store.propose(deskOf({ scope }), { section: "wishes", operation, actor: "user" });
            while (!(await db.one(waiting)));
            return work(db);
          }),
      };
      const now = () => "2026-03-01T00:00:00.000Z";
      await eraseUser({ home, texts: createTexts(), now, newId: () => "unused" }, { user: "bo" });
      expect(await proposed).toMatchObject({ verdict: "accepted", before: "", after: "and a wren", revision: 2 });
      expect(await verifyStore(store.home)).toMatchObject({ erased: 1, faults: [] });
    });
});
