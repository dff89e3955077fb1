import { expect, test } from "vitest";
import type { Scope } from "../../../src/index.ts";
import { onEveryHome, problemOf } from "./given.ts";

onEveryHome("what a schedule sent into a chat", (given) => {
  const announcement = { schedule: "Digest", at: "2026-02-18 08:00 (Europe/Berlin)" };
  const begin = async (user = "bo") => ({ agent: await given.agent(), user });

  /** A run that was answered, with so many pieces waiting to be sent; gives its turn, and the pieces. */
  const run = async (
    scope: Scope,
    reply: string,
    pieces: readonly string[] = [reply],
    channel = "telegram",
    said?: { readonly channel: string },
  ) => {
    given.clock.move(1);
    const { schedules, runs, turns, dispatches } = given.store;
    const nextAt = given.clock.text();
    const { id: schedule } = await schedules.add({ scope, title: "Digest", input: "Write it.", nextAt });
    await schedules.plan((one) => ({ runs: [{ dueAt: String(one.nextAt), state: "waiting" }], nextAt: null }));
    const [due] = (await runs.list({ ...scope, state: "waiting" })).filter((one) => one.schedule === schedule);
    const taken = await runs.claim(String(due?.id), { runner: "here:1", leaseMs: 60_000 });
    if (!taken) throw new Error("The run was not free.");
    const turn = String(taken.turn);
    await turns.open({ scope, id: turn, input: "Write it.", channel: "scheduled", ownSession: "m1" });
    await turns.close(turn, { reply });
    const written = pieces.map((body) => ({ scope, channel, address: "7", body, turn }));
    await runs.finishTry(taken, {
      state: "answered",
      turn,
      dispatches: written,
      announcement,
      ...(said ? { said } : {}),
    });
    const sent = (await dispatches.list({ ...scope, state: "waiting" })).filter((one) => one.turn === turn);
    return { turn, pieces: sent.toReversed().map(({ id }) => id) };
  };
  const say = async (scope: Scope, session: string, input: string, id?: string) => {
    given.clock.move(1);
    const turn = await given.store.turns.open({ scope, input, session, ...(id === undefined ? {} : { id }) });
    return (await given.store.turns.close(turn.id, { reply: `${input}!` })).id;
  };
  const told = (turn: string, reply: string) => ({
    ...{ id: turn, input: "", reply, state: "answered", tainted: false, steps: [] },
    told: announcement,
  });

  test("is in its history once a piece of it was sent, behind what was asked by then", async () => {
    const scope = await begin();
    const { sessions, dispatches } = given.store;
    const { id } = await sessions.open({ scope, receiver: "m1", channel: "telegram" });
    const { turn, pieces } = await run(scope, "One. Two.", ["One.", "Two."]);
    const first = await say(scope, id, "Hello");
    expect((await sessions.history(id)).map((one) => one.id)).toEqual([first]);
    await dispatches.markSent(String(pieces[0]));
    const entered = given.clock.text();
    given.clock.move(1);
    await dispatches.markSent(String(pieces[1]));
    const second = await say(scope, id, "Tell me more", `a-${id}`);
    const history = await sessions.history(id);
    expect(history.map((one) => one.id)).toEqual([first, turn, second]);
    expect(history[1]).toEqual(told(turn, "One. Two."));
    expect(await sessions.history(id, { after: first })).toEqual(history.slice(1));
    expect(await sessions.history(id, { after: turn })).toEqual(history.slice(2));
    expect([await sessions.since(id, first), await sessions.since(id, second)]).toEqual([[turn, second], []]);
    expect((await sessions.newestTurn(id))?.id).toBe(second);
    expect((await sessions.get(id)).lastAt).toBe(entered);
  });

  test("is said at once where it is sent nowhere, once, in the conversation of that channel", async () => {
    const scope = await begin();
    const { sessions, turns } = given.store;
    const { id } = await sessions.open({ scope, receiver: "m1", channel: "web" });
    const { turn } = await run(scope, "One.", [], undefined, { channel: "web" });
    const at = given.clock.text();
    expect(await sessions.history(id)).toEqual([told(turn, "One.")]);
    expect((await turns.get(turn)).told).toEqual({ session: id, at, schedule: "Digest" });
    expect((await turns.list({ ...scope, session: id, told: true })).map((one) => one.id)).toEqual([turn]);
    expect(await turns.list({ ...scope, session: id })).toEqual([]);
    expect(await sessions.list(scope)).toMatchObject([{ id, turns: 0, told: 1 }]);
  });

  test("stands behind a turn that was opened in the same moment, whatever their names: that was sent without it", async () => {
    const scope = await begin();
    const { sessions, dispatches, turns } = given.store;
    const { id } = await sessions.open({ scope, receiver: "m1", channel: "telegram" });
    const { turn, pieces } = await run(scope, "News.");
    const opened = await turns.open({ scope, input: "Hello", session: id, id: `~${id}` });
    await dispatches.markSent(String(pieces[0]));
    expect((await sessions.history(id)).map((one) => one.id)).toEqual([opened.id, turn]);
    expect(await sessions.history(id, { after: opened.id })).toEqual([told(turn, "News.")]);
  });

  test("is behind what was begun on a machine whose clock is ahead", async () => {
    const scope = await begin();
    const { sessions, dispatches } = given.store;
    const { id } = await sessions.open({ scope, receiver: "m1", channel: "telegram" });
    const { turn, pieces } = await run(scope, "News.");
    given.clock.move(5000);
    const ahead = await say(scope, id, "Hello");
    given.clock.move(-4000);
    await dispatches.markSent(String(pieces[0]));
    expect((await sessions.history(id)).map((one) => one.id)).toEqual([ahead, turn]);
  });

  test("begins a session where the chat has none, or only such as have ended, and leaves those of other channels alone", async () => {
    const scope = await begin();
    const { sessions, dispatches } = given.store;
    const web = await sessions.open({ scope, receiver: "m1", channel: "web" });
    const over = await sessions.open({ scope, receiver: "m1", channel: "telegram" });
    await sessions.end(over.id);
    const { turn, pieces } = await run(scope, "News.");
    await dispatches.markSent(String(pieces[0]));
    const opened = await sessions.latest(scope, "telegram");
    expect(opened).toMatchObject({ scope, receiver: "m1", channel: "telegram", endedAt: null });
    expect([web.id, over.id]).not.toContain(opened?.id);
    expect(await sessions.history(String(opened?.id))).toEqual([told(turn, "News.")]);
    expect([await sessions.history(web.id), await sessions.history(over.id)]).toEqual([[], []]);
  });

  test("goes into the session of all channels, where there is one", async () => {
    const scope = await begin();
    const { sessions, dispatches } = given.store;
    const { id } = await sessions.open({ scope, receiver: "m1" });
    const { turn, pieces } = await run(scope, "News.");
    await dispatches.markSent(String(pieces[0]));
    expect(await sessions.history(id)).toEqual([told(turn, "News.")]);
  });

  test("begins a new session where the last was idle for too long, and the one of all channels where they share one", async () => {
    const scope = await begin();
    const { sessions, dispatches } = given.store;
    const old = await sessions.open({ scope, receiver: "m1", channel: "telegram" });
    given.clock.move(1000);
    const first = await run(scope, "News.");
    await dispatches.markSent(String(first.pieces[0]), { idleSince: given.clock.text() });
    const fresh = await sessions.latest(scope, "telegram");
    expect(fresh).toMatchObject({ channel: "telegram", because: "idle" });
    const second = await run(scope, "More news.");
    await dispatches.markSent(String(second.pieces[0]), { across: true });
    const shared = await sessions.latest(scope, null);
    expect(shared).toMatchObject({ channel: null, because: null });
    const told = async (id: string | undefined) => (await sessions.history(String(id))).map((one) => one.id);
    expect([await told(old.id), await told(fresh?.id), await told(shared?.id)]).toEqual([
      [],
      [first.turn],
      [second.turn],
    ]);
  });

  test("was not said if none of it got through, nor if it is sent in a reply of someone's own turn", async () => {
    const scope = await begin();
    const { sessions, dispatches } = given.store;
    const { id } = await sessions.open({ scope, receiver: "m1", channel: "telegram" });
    const { pieces } = await run(scope, "News.");
    await dispatches.markDead(String(pieces[0]), "blocked");
    await dispatches.markSent(String(pieces[0]));
    const own = await say(scope, id, "Hello");
    const [reply] = await dispatches.add([{ scope, channel: "telegram", address: "7", body: "Hello!", turn: own }]);
    await dispatches.markSent(String(reply?.id));
    expect((await sessions.history(id)).map((one) => one.id)).toEqual([own]);
  });

  test("is gone with its user, before it was sent and after", async () => {
    const scope = await begin(`erin-${given.name}`);
    const { sessions, dispatches, home, erase } = given.store;
    const { id } = await sessions.open({ scope, receiver: "m1", channel: "telegram" });
    const first = await run(scope, "News.");
    await dispatches.markSent(String(first.pieces[0]));
    const second = await run(scope, "More news.");
    await erase({ user: scope.user });
    await dispatches.markSent(String(second.pieces[0]));
    expect(await problemOf(sessions.get(id))).toContain("unknown-session");
    const { sql } = await import("../../../src/store/home/sql.ts");
    const rows = await home.read("everything", (db) =>
      db.all(sql`select reply, state, told_as from turns where id in (${first.turn}, ${second.turn})`),
    );
    expect(rows).toEqual(Array(2).fill({ reply: null, state: "erased", told_as: null }));
    expect(
      await home.read("everything", (db) => db.all(sql`select id from sessions where user_id = ${scope.user}`)),
    ).toEqual([]);
  });

  test("is nobody else's to see", async () => {
    const scope = await begin();
    const { sessions, dispatches } = given.store;
    const { id } = await sessions.open({ scope, receiver: "m1", channel: "telegram" });
    const { turn, pieces } = await run(scope, "News.");
    await dispatches.markSent(String(pieces[0]));
    expect(await sessions.history(id, {}, scope)).toEqual([told(turn, "News.")]);
    expect(await sessions.history(id, {}, { ...scope, user: "cy" })).toEqual([]);
  });
});
