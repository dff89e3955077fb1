import { expect, test } from "vitest";
import { createStore, type NewDispatch, type Store } from "../../../src/store/index.ts";
import { onEveryHome, problemOf } from "./given.ts";

const chat = "telegram";

onEveryHome("dispatches", (given) => {
  const piece = (agent: string, body: string, address = "100", user = "bo"): NewDispatch => ({
    scope: { agent, user },
    channel: chat,
    address,
    body,
  });
  const add = async (...pieces: readonly NewDispatch[]) =>
    (await given.store.dispatches.add(pieces)).map(({ id }) => id);
  const take = (agent: string, about = {}, store: Store = given.store) => store.dispatches.claim(agent, chat, about);
  const bodies = (all: readonly { body: string }[]) => all.map(({ body }) => body);
  const later = (ms: number) => new Date(given.clock.now().getTime() + ms).toISOString();

  test("a piece is kept with all that its channel needs, and sent once", async () => {
    const agent = await given.agent();
    const scope = { agent, user: "bo" };
    const extra = { buttons: [["Yes", "approve:1"]] };
    const whole = { scope, channel: chat, address: "100", body: "May I?", extra, turn: "turn-1" };
    const kept = {
      ...whole,
      id: expect.any(String),
      at: given.clock.text(),
      state: "waiting",
      tries: 0,
      nextTryAt: null,
      failure: null,
      sentAt: null,
    };
    const [added] = await given.store.dispatches.add([whole]);
    expect(added).toEqual(kept);
    expect(await take(agent)).toEqual([kept]);
    expect(await take(agent)).toEqual([]);
    given.clock.move(1000);
    const sentAt = given.clock.text();
    await given.store.dispatches.markSent(added?.id as string);
    given.clock.move(1000);
    await given.store.dispatches.markSent(added?.id as string);
    expect(await given.store.dispatches.list({ agent })).toEqual([{ ...kept, state: "sent", sentAt }]);
    given.clock.move(86_400_000);
    expect(await take(agent)).toEqual([]);
  });

  test("the pieces of one address go out in their order, each after the one before is settled", async () => {
    const agent = await given.agent();
    const [a1, a2] = await add(piece(agent, "a1"), piece(agent, "a2"), piece(agent, "b1", "200"), piece(agent, "a3"));
    // Whose they are does not matter: it is one chat.
    await add(piece(agent, "a4", "100", "cy"));
    expect(bodies(await take(agent))).toEqual(["a1", "b1"]);
    expect(await take(agent)).toEqual([]);
    await given.store.dispatches.markSent(a1 as string);
    expect(bodies(await take(agent))).toEqual(["a2"]);
    await given.store.dispatches.retryAt(a2 as string, "429", later(5000));
    expect(await take(agent)).toEqual([]);
    given.clock.move(4999);
    expect(await take(agent)).toEqual([]);
    given.clock.move(1);
    expect(bodies(await take(agent))).toEqual(["a2"]);
    await given.store.dispatches.markDead(a2 as string, "blocked");
    expect(bodies(await take(agent))).toEqual(["a3"]);
  });

  test("a machine whose clock is behind does not send before what already waits", async () => {
    const agent = await given.agent();
    await add(piece(agent, "a1"), piece(agent, "b1", "200"));
    const behind = new Date(given.clock.now().getTime() - 60_000);
    const late = await createStore((await given.another()).home, { now: () => behind });
    await late.dispatches.add([piece(agent, "a2"), piece(agent, "a3"), piece(agent, "c1", "300")]);
    await late.dispatches.add([piece(agent, "a4")]);
    const order: string[] = [];
    for (let taken = await take(agent); taken.length > 0; taken = await take(agent))
      for (const { id, body } of taken) {
        order.push(body);
        await given.store.dispatches.markSent(id);
      }
    expect(order).toEqual(["c1", "a1", "b1", "a2", "a3", "a4"]);
  });

  test("of many takers at once no two get the same, or two of one address", async () => {
    const agent = await given.agent();
    const pieces = Array.from({ length: 24 }, (_, index) => piece(agent, `${index}`, `chat ${index % 8}`));
    await add(...pieces);
    const stores = await given.three();
    const order: string[] = [];
    for (let round = 0; round < 3; round++) {
      const taken = await Promise.all(
        Array.from({ length: 9 }, (_, index) => take(agent, { limit: 2 }, stores[index % 3])),
      );
      const all = taken.flat();
      expect([all.length, new Set(all.map(({ address }) => address)).size]).toEqual([8, 8]);
      for (const { id } of all) await given.store.dispatches.markSent(id);
      order.push(...bodies(all).sort((one, other) => Number(one) - Number(other)));
    }
    expect(order).toEqual(bodies(pieces));
  });

  test("whoever took one and died gives it back when the lease is over, and that was a try", async () => {
    const agent = await given.agent();
    const [id] = await add(piece(agent, "1"));
    expect(await take(agent, { leaseMs: 60_000 })).toMatchObject([{ id, tries: 0 }]);
    given.clock.move(60_000);
    expect(await take(agent)).toEqual([]);
    given.clock.move(1);
    expect(await take(agent, { leaseMs: 60_000 })).toMatchObject([{ id, tries: 1 }]);
    expect(await given.store.dispatches.retryAt(id as string, "down", later(1000))).toMatchObject({
      tries: 2,
      nextTryAt: later(1000),
      failure: "down",
      state: "waiting",
    });
    given.clock.move(1000);
    expect(await take(agent)).toMatchObject([{ id, tries: 2 }]);
    await given.store.dispatches.markSent(id as string);
    expect(await given.store.dispatches.list({ agent })).toMatchObject([
      { state: "sent", tries: 2, nextTryAt: null, failure: null },
    ]);
  });

  test("one that is given up says why, and the event holds no words of it", async () => {
    const agent = await given.agent();
    const [id] = await add({ ...piece(agent, "a secret of bo's"), turn: "turn-1" });
    const dead = await given.store.dispatches.markDead(id as string, "Forbidden: a secret of bo's");
    expect(dead).toMatchObject({
      id,
      state: "dead",
      tries: 1,
      failure: "Forbidden: a secret of bo's",
      nextTryAt: null,
    });
    expect(await given.store.dispatches.markDead(id as string, "again")).toBeUndefined();
    expect(await given.store.dispatches.retryAt(id as string, "again", later(0))).toBeUndefined();
    await given.store.dispatches.markSent(id as string);
    expect(await given.store.dispatches.list({ agent, state: "dead" })).toEqual([dead]);
    expect(await take(agent)).toEqual([]);
    expect(await given.store.events.list({ agent, kind: "dispatch-dead" })).toEqual([
      {
        id: expect.any(Number),
        scope: { agent, user: "bo" },
        at: given.clock.text(),
        kind: "dispatch-dead",
        turn: "turn-1",
        detail: { dispatch: id, channel: chat, tries: 1 },
      },
    ]);
  });

  test("they are listed newest first, by agent, user and state", async () => {
    const agent = await given.agent();
    await add(piece(agent, "1"), piece(agent, "2", "200", "cy"), piece(agent, "3"));
    const sent = await add(piece(agent, "4"));
    await given.store.dispatches.markSent(sent[0] as string);
    const list = async (about: Parameters<Store["dispatches"]["list"]>[0]) =>
      bodies(await given.store.dispatches.list(about));
    expect(await list({ agent })).toEqual(["4", "3", "2", "1"]);
    expect(await list({ agent, user: "bo" })).toEqual(["4", "3", "1"]);
    expect(await list({ agent, user: "bo", state: "waiting" })).toEqual(["3", "1"]);
    expect(await list({ agent, limit: 2, offset: 1 })).toEqual(["3", "2"]);
    expect(await list({ agent, user: "di" })).toEqual([]);
    expect((await list({})).slice(0, 4)).toEqual(["4", "3", "2", "1"]);
  });

  test("other channels and agents are not looked at", async () => {
    const agent = await given.agent();
    const other = await given.agent();
    await add(piece(other, "theirs"), { ...piece(agent, "elsewhere"), channel: "matrix" }, piece(agent, "mine"));
    expect(bodies(await take(agent))).toEqual(["mine"]);
    expect(bodies(await take(other))).toEqual(["theirs"]);
    expect(bodies(await given.store.dispatches.claim(agent, "matrix"))).toEqual(["elsewhere"]);
  });

  test("what cannot be kept is refused whole", async () => {
    const agent = await given.agent();
    const pieces: readonly (readonly [NewDispatch, RegExp])[] = [
      [piece("nobody", "x"), /^unknown-agent: /],
      [piece(agent, "x", ""), /^bad-name: /],
      [piece(agent, "x", "100", "a\nb"), /^bad-name: /],
      [piece(agent, "half a \ud83d"), /^malformed-text: /],
    ];
    for (const [wrong, code] of pieces)
      expect(await problemOf(given.store.dispatches.add([piece(agent, "fine"), wrong]))).toMatch(code);
    expect(await given.store.dispatches.list({ agent })).toEqual([]);
    expect(await problemOf(given.store.dispatches.retryAt("x", "y", "soon"))).toMatch(/^bad-time: /);
  });
});
