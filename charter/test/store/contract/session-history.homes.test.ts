import { expect, test } from "vitest";
import { receiptOf, type Scope } from "../../../src/index.ts";
import { sha256 } from "../../../src/store/texts/packing.ts";
import { charter } from "../desk.ts";
import { promptFor } from "../lived.ts";
import { onEveryHome, problemOf } from "./given.ts";

onEveryHome("what was said in a session", (given) => {
  const receipt = async ({ agent, user }: Scope) =>
    receiptOf(charter, await promptFor(given.store, agent, user), { sha256 });
  const begin = async (user = "bo") => {
    const scope = { agent: await given.agent(), user };
    const { id } = await given.store.sessions.open({ scope, receiver: "m1" });
    return { scope, id };
  };
  /** One turn of so many steps, by whatever id. */
  const take = async (scope: Scope, session: string, input: string, steps: number, turn?: string) => {
    given.clock.move(1);
    const { turns } = given.store;
    const { id } = await turns.open({ scope, input, session, ...(turn === undefined ? {} : { id: turn }) });
    for (let step = 1; step <= steps; step++) {
      await turns.recordStep(id, await receipt(scope));
      await turns.recordResult(id, step, { partial: `${input} ${step}` });
    }
    return id;
  };

  test("begins, in a session that goes on from a turn of another, with what was said up to there", async () => {
    const { scope, id } = await begin();
    const { turns, sessions } = given.store;
    const said = async (session: string, input: string) => {
      const turn = await take(scope, session, input, 0);
      await turns.close(turn, { reply: `${input}!` });
      return turn;
    };
    const [one, two] = [await said(id, "one"), await said(id, "two")];
    const open = (beginsAfter: string, whose: Scope = scope) =>
      sessions.open({ scope: whose, receiver: "m1", beginsAfter });
    const other = (await open(one)).id;
    const three = await said(other, "three");
    const third = (await open(three)).id;
    const ids = async (...about: Parameters<typeof sessions.history>) =>
      (await sessions.history(...about)).map(({ id: turn, before }) => (before ? [turn] : turn));
    expect(await ids(other)).toEqual([[one], three]);
    expect(await ids(third)).toEqual([[one], [three]]);
    expect(await ids(third, { after: one }, scope)).toEqual([[three]]);
    expect(await ids(other, { from: three })).toEqual([three]);
    expect(await ids(id)).toEqual([one, two]);
    expect(await sessions.newestTurn(third)).toBeUndefined();
    expect(await ids(other, { after: one })).toEqual([three]);
    expect(await problemOf(open(one, { ...scope, user: "mia" }))).toMatch("unknown-turn");
    expect(await problemOf(open(one, { agent: scope.agent }))).toMatch("bad-argument");
  });

  test("comes back oldest first, with what came of every step, from the beginning or after a turn", async () => {
    const { scope, id } = await begin();
    const { turns, sessions } = given.store;
    expect(await sessions.history(id)).toEqual([]);
    expect(await sessions.newestTurn(id)).toBeUndefined();
    const first = await take(scope, id, "one", 2, `z-${id}`);
    await turns.close(first, { reply: "One!", tainted: true });
    const second = await take(scope, id, "two", 0, `m-${id}`);
    await turns.close(second, { state: "failed" });
    const third = await take(scope, id, "three", 1, `a-${id}`);
    await take(scope, (await given.store.sessions.open({ scope, receiver: "m1" })).id, "elsewhere", 1);
    const history = [
      {
        id: first,
        input: "one",
        reply: "One!",
        state: "answered",
        tainted: true,
        steps: [
          { step: 1, result: { partial: "one 1" } },
          { step: 2, result: { partial: "one 2" } },
        ],
      },
      { id: second, input: "two", reply: null, state: "failed", tainted: false, steps: [] },
      {
        id: third,
        input: "three",
        reply: null,
        state: "running",
        tainted: false,
        steps: [{ step: 1, result: { partial: "three 1" } }],
      },
    ];
    expect(await sessions.history(id)).toEqual(history);
    expect(await sessions.history(id, { after: first })).toEqual(history.slice(1));
    expect(await sessions.since(id, first)).toEqual([second, third]);
    expect([await sessions.since(id, third), await sessions.since(id, "nope")]).toEqual([[], []]);
    expect(await sessions.history(id, { after: third })).toEqual([]);
    expect(await sessions.newestTurn(id)).toEqual({ id: third, state: "running" });
    await turns.close(third, { reply: "Three!" });
    expect(await sessions.newestTurn(id)).toEqual({ id: third, state: "answered" });
  });

  test("is told to nobody else, and not after a turn of another session", async () => {
    const { scope, id } = await begin();
    const turn = await take(scope, id, "one", 1);
    const other = await begin("cy");
    const theirs = await take(other.scope, other.id, "two", 1);
    const { sessions } = given.store;
    expect((await sessions.history(id, {}, scope)).map((one) => one.id)).toEqual([turn]);
    expect(await sessions.newestTurn(id, scope)).toEqual({ id: turn, state: "running" });
    for (const reach of [{ agent: scope.agent, user: "cy" }, { agent: scope.agent }]) {
      expect(await sessions.history(id, {}, reach)).toEqual([]);
      expect(await sessions.since(id, turn, reach)).toEqual([]);
      expect(await sessions.newestTurn(id, reach)).toBeUndefined();
    }
    for (const after of [theirs, "nope"])
      expect(await problemOf(sessions.history(id, { after }))).toBe(
        `unknown-turn: There is no turn “${after}”. See them with \`charter turns\`.`,
      );
  });

  test("turns opened in one moment keep one order", async () => {
    const { scope, id } = await begin();
    const open = () => given.store.turns.open({ scope, input: "?", session: id });
    const opened = [await open(), await open(), await open()];
    const ids = opened.map((one) => one.id);
    expect((await given.store.sessions.history(id)).map((one) => one.id)).toEqual(ids);
    const after = await given.store.sessions.history(id, { after: ids[0] });
    expect(after.map((one) => one.id)).toEqual(ids.slice(1));
    expect((await given.store.sessions.newestTurn(id))?.id).toBe(ids[2]);
  });

  test("a session of any name has its history", async () => {
    const scope = await given.scope();
    for (const name of ["", "s1", "é".repeat(199), "n".repeat(201), "😀".repeat(5000)]) {
      const turn = await take(scope, `${scope.agent}${name}`, "one", 1);
      const history = await given.store.sessions.history(`${scope.agent}${name}`);
      expect(history.map((one) => one.id)).toEqual([turn]);
    }
  });

  test("of what was erased no word is left, and of what was let go nothing that came of it", async () => {
    const user = `gone-${given.name}`;
    const { scope, id } = await begin(user);
    const turn = await take(scope, id, "one", 1);
    await given.store.turns.close(turn, { reply: "One!" });
    given.clock.move(86_400_000);
    const later = await take(scope, id, "two", 1);
    await given.store.retain({ receipts: 1 });
    expect((await given.store.sessions.history(id)).map(({ input, reply, steps }) => [input, reply, steps])).toEqual([
      ["one", "One!", [{ step: 1, result: null }]],
      ["two", null, [{ step: 1, result: { partial: "two 1" } }]],
    ]);
    await given.store.erase({ user });
    expect(await given.store.sessions.history(id)).toEqual(
      [turn, later].map((one) => {
        const nothing = { input: "", reply: null, tainted: false, steps: [{ step: 1, result: null }] };
        return { id: one, state: "erased", ...nothing };
      }),
    );
    expect(await given.store.sessions.newestTurn(id)).toEqual({ id: later, state: "erased" });
  });
});
