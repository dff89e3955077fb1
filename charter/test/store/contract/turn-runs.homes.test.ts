import { expect, test } from "vitest";
import { receiptOf, type Scope } from "../../../src/index.ts";
import { createStore, type Home, type NewTurn, type Store } from "../../../src/store/index.ts";
import { sha256 } from "../../../src/store/texts/packing.ts";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { charter } from "../desk.ts";
import { promptFor } from "../lived.ts";
import { onEveryHome, problemOf } from "./given.ts";

const usage = { input: 10, read: 4, written: 2, output: 3 };
const call = { id: "c1", name: "look", input: "{}" };
const looked = (output: string) => ({ call: "c1", name: "look", output });
const nobody = { micros: 0, input: 0, read: 0, written: 0, output: 0 };

onEveryHome("turns that someone runs", (given) => {
  const open = (scope: Scope, more: Partial<NewTurn> = {}) => given.store.turns.open({ scope, input: "?", ...more });
  const receipt = async (store: Store, { agent, user }: Scope) =>
    receiptOf(charter, await promptFor(store, agent, user), { sha256 });
  const later = (seconds: number) => new Date(given.clock.now().getTime() + seconds * 1000).toISOString();
  const kinds = async (agent: string) => (await given.store.events.list({ agent })).map(({ kind }) => kind);

  test("a turn says who runs it, and until when it is alive", async () => {
    const scope = await given.scope();
    const runs = async (more: Partial<NewTurn>) => {
      const { runner, leasedUntil } = await open(scope, more);
      return { runner, leasedUntil };
    };
    expect(await runs({})).toEqual({ runner: null, leasedUntil: null });
    expect(await runs({ runner: "host:1" })).toEqual({ runner: "host:1", leasedUntil: later(300) });
    expect(await runs({ runner: "host:1", leaseSeconds: 20 })).toEqual({ runner: "host:1", leasedUntil: later(20) });
    expect(await runs({ leaseSeconds: 20 })).toEqual({ runner: null, leasedUntil: later(20) });
    for (const leaseSeconds of [0, -1, 1.5, Number.NaN, 1e9])
      expect(await problemOf(() => open(scope, { leaseSeconds }))).toBe(
        `bad-lease: A turn cannot be leased for ${leaseSeconds} seconds. Give a whole number of seconds, up to a year.`,
      );
    expect(await problemOf(() => open(scope, { runner: "" }))).toMatch(/^bad-name: /);
  });

  test("every step and all that comes of it says that the turn is alive; its end gives the lease back", async () => {
    const scope = await given.scope();
    const { id } = await open(scope, { runner: "host:1", leaseSeconds: 20 });
    const until = async () => (await given.store.turns.get(id)).leasedUntil;
    given.clock.move(15_000);
    await given.store.turns.recordStep(id, { ...(await receipt(given.store, scope)), scope });
    expect(await until()).toBe(later(20));
    given.clock.move(15_000);
    expect(await given.store.turns.recordResult(id, 1, { answer: { text: "", calls: [call] } })).toBe("running");
    expect(await until()).toBe(later(20));
    given.clock.move(15_000);
    expect(await given.store.turns.interruptAbandoned({ agent: scope.agent })).toEqual([]);
    const closed = await given.store.turns.close(id, { reply: "!" });
    expect(closed).toMatchObject({ state: "answered", runner: "host:1", leasedUntil: null });
  });

  test("a turn whose lease ran out is interrupted, and one whose runner is gone; others go on", async () => {
    const agent = await given.agent();
    const silent = await open({ agent, user: "bo" }, { runner: "host:1", leaseSeconds: 20 });
    const gone = await open({ agent }, { runner: "host:2", leaseSeconds: 900 });
    const alive = await open({ agent, user: "cy" }, { runner: "host:3", leaseSeconds: 900 });
    const unleased = await open({ agent, user: "cy" });
    const done = await open({ agent, user: "cy" }, { runner: "host:2", leaseSeconds: 20 });
    await given.store.turns.close(done.id, { reply: "!" });
    given.clock.move(20_000);
    expect(await given.store.turns.interruptAbandoned({ agent })).toEqual([]);
    given.clock.move(1);
    const marked = await given.store.turns.interruptAbandoned({ agent, isGone: (runner) => runner === "host:2" });
    const end = { state: "interrupted", endedAt: given.clock.text(), leasedUntil: null };
    expect(marked).toEqual([
      { ...silent, ...end },
      { ...gone, ...end },
    ]);
    for (const { id } of [alive, unleased]) expect((await given.store.turns.get(id)).state).toBe("running");
    expect((await given.store.turns.get(done.id)).state).toBe("answered");
    expect(await given.store.turns.interruptAbandoned({ agent, isGone: (runner) => runner === "host:2" })).toEqual([]);
    const events = await given.store.events.list({ agent, kind: "turn-interrupted" });
    expect(events.map(({ scope, turn, detail }) => ({ scope, turn, detail }))).toEqual([
      { scope: { agent }, turn: gone.id, detail: { runner: "host:2", because: "its runner is gone" } },
      { scope: { agent, user: "bo" }, turn: silent.id, detail: { runner: "host:1", because: "its lease ran out" } },
    ]);
  });

  test("of many who look at once each turn is marked by one", async () => {
    const agent = await given.agent();
    const ids = new Set<string>();
    for (let index = 0; index < 12; index++)
      ids.add((await open({ agent, user: `u${index % 3}` }, { runner: "host:1" })).id);
    const stores = await given.three();
    const marked = await Promise.all(
      [...stores, ...stores].map((store) => store.turns.interruptAbandoned({ agent, isGone: () => true })),
    );
    const all = marked.flat().map(({ id }) => id);
    expect(all.length).toBe(12);
    expect(new Set(all)).toEqual(ids);
    expect((await given.store.events.list({ agent, kind: "turn-interrupted" })).length).toBe(12);
  });

  test("a turn that is heard of while it is about to be marked goes on", async () => {
    const scope = await given.scope();
    const { id } = await open(scope, { runner: "host:1", leaseSeconds: 20 });
    await given.store.turns.recordStep(id, await receipt(given.store, scope));
    given.clock.move(21_000);
    const home = given.place.open();
    const slow: Home = {
      ...home,
      write: async (reach, work) => {
        await given.store.turns.recordResult(id, 1, {});
        return home.write(reach, work);
      },
    };
    const other = await createStore(slow, { now: given.clock.now });
    expect(await other.turns.interruptAbandoned({ agent: scope.agent })).toEqual([]);
    expect((await given.store.turns.get(id)).state).toBe("running");
    await other.close();
  });

  test("whoever was only slow finds the turn over: it takes no step, and its end changes nothing but is told", async () => {
    const scope = await given.scope();
    const session = await given.store.sessions.open({ scope, receiver: "m1", baseline: "then" });
    const { id } = await open(scope, { runner: "host:1", leaseSeconds: 20, session: session.id });
    await given.store.turns.recordStep(id, await receipt(given.store, scope));
    given.clock.move(21_000);
    const [interrupted] = await given.store.turns.interruptAbandoned({ agent: scope.agent });
    given.clock.move(1000);
    expect(await given.store.turns.recordResult(id, 1, { results: [looked("a page")] })).toBe("interrupted");
    expect(await problemOf(given.store.turns.recordStep(id, await receipt(given.store, scope)))).toBe(
      `turn-interrupted: The turn “${id}” was taken for interrupted: nothing was heard of it for longer than its lease. Stop working on it; give long turns a longer lease (\`leaseSeconds\`).`,
    );
    const closed = await given.store.turns.close(id, {
      reply: "Late!",
      tainted: true,
      scope,
      step: { step: 1, result: { results: [looked("a page")], partial: "Late!" } },
      session: { touch: true, baseline: "now" },
      spent: { day: "2026-02-18", receiver: "m1", micros: 7, usage },
    });
    // But foreign words that came too late are told with the rest of it.
    expect(closed).toEqual({ ...interrupted, tainted: true, micros: 7 });
    expect(await given.store.turns.get(id)).toEqual(closed);
    // What it did and what that cost is true all the same.
    expect((await given.store.steps.of(id)).map(({ result }) => result)).toEqual([
      { results: [looked("a page")], partial: "Late!" },
    ]);
    const spent = await given.store.spending.of({ ...scope, day: "2026-02-18" });
    expect(spent.user).toEqual({ micros: 7, ...usage });
    expect(await given.store.sessions.get(session.id)).toEqual(session);
    expect(await given.store.events.list({ agent: scope.agent, kind: "turn-late" })).toMatchObject([
      { scope, turn: id, detail: { state: "answered" } },
    ]);
    expect(await kinds(scope.agent)).toEqual(["turn-late", "turn-ended", "turn-interrupted", "agent-set"]);
    expect((await verifyStore(given.store.home, { agent: scope.agent })).faults).toEqual([]);
  });

  test("who runs a turn may give it up", async () => {
    const scope = await given.scope();
    const { id } = await open(scope, { runner: "host:1" });
    const closed = await given.store.turns.close(id, { state: "interrupted" });
    expect(closed).toMatchObject({ state: "interrupted", reply: null, endedAt: given.clock.text() });
    expect(await given.store.events.list({ agent: scope.agent, kind: "turn-interrupted" })).toMatchObject([
      { turn: id, detail: { runner: "host:1", because: "its runner stopped it" } },
    ]);
  });

  test("every turn says once that it ended, and how; of one that was erased nothing more is said", async () => {
    const { turns, events, erase } = given.store;
    const scope = await given.scope();
    const ended = async (id: string) => (await events.ofTurns([id])).map(({ kind, detail }) => [kind, detail]);
    const rows = [
      [undefined, [["turn-ended", { state: "answered" }]]],
      ["failed", [["turn-ended", { state: "failed" }]]],
      [
        "interrupted",
        [
          ["turn-interrupted", { runner: "host:1", because: "its runner stopped it" }],
          ["turn-ended", { state: "interrupted" }],
        ],
      ],
    ] as const;
    for (const [state, told] of rows) {
      const { id } = await open(scope, { runner: "host:1" });
      expect(await ended(id)).toEqual([]);
      const end = { scope, ...(state === undefined ? {} : { state }) };
      await turns.close(id, end);
      if (state !== "interrupted") await turns.close(id, end);
      expect(await ended(id)).toEqual(told);
    }
    const gone = await open(scope, { runner: "host:2" });
    await turns.interruptAbandoned({ agent: scope.agent, isGone: (runner) => runner === "host:2" });
    expect((await ended(gone.id)).map(([kind]) => kind)).toEqual(["turn-interrupted", "turn-ended"]);
    const undone = await open(scope, { runner: "host:1" });
    await expect(turns.close(undone.id, { scope, step: { step: 9, result: {} } })).rejects.toThrow("has no step 9");
    expect(await ended(undone.id)).toEqual([]);
    await erase({ user: "bo", agent: scope.agent });
    await turns.close(undone.id, { scope, reply: "Too late." });
    expect(await ended(undone.id)).toEqual([]);
    expect(await ended(gone.id)).toEqual([
      ["turn-interrupted", {}],
      ["turn-ended", {}],
    ]);
  });

  test("what came of the last step, the reply, the session and what was spent are kept together", async () => {
    const scope = await given.scope();
    const session = await given.store.sessions.open({ scope, receiver: "m1", baseline: { words: "then" } });
    const opened = await open(scope, { session: session.id });
    await given.store.turns.recordStep(opened.id, { ...(await receipt(given.store, scope)), scope });
    given.clock.move(1000);
    const end = {
      reply: "Hello!",
      scope,
      step: { step: 1, result: { partial: "Hello!" } },
      session: { touch: true, baseline: { words: "now" } },
      spent: [
        { day: "2026-02-18", receiver: "m1", micros: 7, usage },
        { day: "2026-02-18", receiver: "m2", micros: 5, usage: { ...usage, read: null, written: null } },
      ],
    } as const;
    // A step there is not undoes all of it.
    expect(await problemOf(given.store.turns.close(opened.id, { ...end, step: { step: 2, result: {} } }))).toBe(
      `unknown-turn: The turn “${opened.id}” has no step 2. See it with \`charter turns\`.`,
    );
    expect(await given.store.turns.get(opened.id)).toEqual(opened);
    const closed = await given.store.turns.close(opened.id, end);
    expect(closed).toEqual({ ...opened, reply: "Hello!", state: "answered", endedAt: given.clock.text(), micros: 12 });
    expect((await given.store.steps.of(opened.id)).map(({ result }) => result)).toEqual([{ partial: "Hello!" }]);
    const touched = { ...session, baseline: { words: "now" }, lastAt: given.clock.text() };
    expect(await given.store.sessions.get(session.id)).toEqual(touched);
    const total = { micros: 12, input: 20, read: 4, written: 2, output: 6 };
    const spent = () => given.store.spending.of({ ...scope, day: "2026-02-18" });
    expect(await spent()).toEqual({ user: total, agent: total });

    // It ends once: whoever is not sure that it did may say so again.
    given.clock.move(1000);
    expect(await given.store.turns.close(opened.id, { ...end, reply: "Other.", state: "failed" })).toEqual(closed);
    expect(await spent()).toEqual({ user: total, agent: total });
    expect(await given.store.sessions.get(session.id)).toEqual(touched);
  });

  test("a session that is only touched keeps its baseline; a turn's step may touch it as well", async () => {
    const scope = await given.scope();
    const session = await given.store.sessions.open({ scope, receiver: "m1", baseline: 1 });
    const { id } = await open(scope, { session: session.id });
    given.clock.move(1000);
    const touch = { touch: true, baseline: 2 } as const;
    await given.store.turns.recordStep(id, { ...(await receipt(given.store, scope)), session: touch });
    const stepped = { ...session, baseline: 2, lastAt: given.clock.text() };
    expect(await given.store.sessions.get(session.id)).toEqual(stepped);
    given.clock.move(1000);
    await given.store.turns.close(id, { session: { touch: true } });
    expect(await given.store.sessions.get(session.id)).toEqual({ ...stepped, lastAt: given.clock.text() });
  });

  test("into a session that has ended nothing is put again", async () => {
    const scope = await given.scope();
    const session = await given.store.sessions.open({ scope, receiver: "m1", baseline: 1 });
    const { id } = await open(scope, { session: session.id });
    await given.store.sessions.end(session.id);
    const touch = { touch: true, baseline: 2 } as const;
    await given.store.turns.recordStep(id, { ...(await receipt(given.store, scope)), session: touch });
    await given.store.turns.close(id, { session: touch });
    expect((await given.store.sessions.get(session.id)).baseline).toBe(1);
  });

  test("another's session is not touched, whatever a turn calls its own", async () => {
    const agent = await given.agent();
    const theirs = await given.store.sessions.open({ scope: { agent, user: "cy" }, receiver: "m1", baseline: 1 });
    const { id } = await open({ agent, user: "bo" }, { session: theirs.id });
    given.clock.move(1000);
    await given.store.turns.close(id, { session: { touch: true, baseline: 2 } });
    expect(await given.store.sessions.get(theirs.id)).toEqual(theirs);
  });

  test("foreign words stick to a turn from the moment they are in it, also when it is interrupted", async () => {
    const scope = await given.scope();
    const tainted = async (id: string) => (await given.store.turns.get(id)).tainted;
    const { id } = await open(scope, { leaseSeconds: 20 });
    await given.store.turns.recordStep(id, await receipt(given.store, scope));
    expect(await tainted(id)).toBe(false);
    await given.store.turns.recordResult(id, 1, { results: [looked("a page")] }, { tainted: true });
    expect(await tainted(id)).toBe(true);
    await given.store.turns.recordResult(
      id,
      1,
      { results: [looked("a page"), looked("a letter")] },
      { tainted: false },
    );
    expect(await tainted(id)).toBe(true);
    expect((await given.store.turns.close(id, { tainted: false })).tainted).toBe(true);
    const { id: other } = await open(scope, { runner: "host:1" });
    await given.store.turns.recordStep(other, { ...(await receipt(given.store, scope)), tainted: true });
    const [interrupted] = await given.store.turns.interruptAbandoned({ agent: scope.agent, isGone: () => true });
    expect(interrupted).toMatchObject({ id: other, tainted: true });
    const { id: late } = await open(scope, { runner: "host:1" });
    await given.store.turns.recordStep(late, await receipt(given.store, scope));
    await given.store.turns.interruptAbandoned({ agent: scope.agent, isGone: () => true });
    await given.store.turns.recordResult(late, 1, { results: [looked("a page")] }, { tainted: true });
    expect(await given.store.turns.get(late)).toMatchObject({ state: "interrupted", tainted: true });
  });

  test("a scope that is not the turn's is no way to it", async () => {
    const agent = await given.agent();
    const { id } = await open({ agent, user: "bo" });
    await given.store.turns.recordStep(id, await receipt(given.store, { agent, user: "bo" }));
    const before = await given.store.turns.get(id);
    const unknown = `unknown-turn: There is no turn “${id}”. See them with \`charter turns\`.`;
    for (const scope of [{ agent, user: "cy" }, { agent }, await given.scope()]) {
      const { turns, calls } = given.store;
      expect(await problemOf(turns.recordStep(id, { ...(await receipt(given.store, scope)), scope }))).toBe(unknown);
      expect(await problemOf(turns.recordResult(id, 1, {}, { scope }))).toBe(unknown);
      expect(await problemOf(turns.close(id, { reply: "x", scope }))).toBe(unknown);
      const call = { turn: id, step: 1, call: "c", tool: "t", input: {}, reason: "b" };
      expect(await problemOf(calls.hold(scope, call))).toBe(unknown);
    }
    const { id: common } = await open({ agent });
    expect(await problemOf(given.store.turns.close(common, { scope: { agent, user: "bo" } }))).toMatch(/^unknown-turn/);
    expect(await given.store.turns.get(id)).toEqual(before);
    expect((await given.store.steps.of(id)).map(({ result }) => result)).toEqual([null]);
  });

  test("a turn that was erased while it ran spends all the same, and keeps no word", async () => {
    const scope = { agent: await given.agent(), user: `erased-${given.name}` };
    const { id } = await open(scope, { runner: "host:1" });
    await given.store.turns.recordStep(id, await receipt(given.store, scope));
    await given.store.erase({ user: scope.user });
    expect(await given.store.turns.recordResult(id, 1, { partial: "x" })).toBe("erased");
    const spent = { day: "2026-02-18", receiver: "m1", micros: 7, usage };
    const closed = await given.store.turns.close(id, {
      reply: "x",
      step: { step: 1, result: { partial: "x" } },
      spent,
    });
    expect(closed).toMatchObject({ state: "erased", input: "", reply: null });
    expect((await given.store.steps.of(id)).map(({ result }) => result)).toEqual([null]);
    const total = { micros: 7, ...usage };
    expect(await given.store.spending.of({ ...scope, day: "2026-02-18" })).toEqual({ user: total, agent: total });
    const call = { turn: id, step: 1, call: "c", tool: "t", input: { partial: "x" }, reason: "b" };
    expect(await problemOf(given.store.calls.hold(scope, call))).toMatch(/^erased: /);
    expect(await given.store.turns.interruptAbandoned({ agent: scope.agent, isGone: () => true })).toEqual([]);
  });

  test("a turn of one step is three commits, and nothing is asked besides", async () => {
    const scope = await given.scope();
    const home = given.place.open();
    const asked: string[] = [];
    const counting: Home = {
      ...home,
      read: (reach, work) => {
        asked.push("read");
        return home.read(reach, work);
      },
      write: (reach, work) => {
        asked.push("write");
        return home.write(reach, work);
      },
    };
    const store = await createStore(counting, { now: given.clock.now });
    const kept = await receipt(store, scope);
    const take = async () => {
      asked.length = 0;
      const { id } = await store.turns.open({ scope, input: "?", runner: "host:1" });
      const { step } = await store.turns.recordStep(id, { ...kept, scope });
      const spent = { day: "2026-02-18", receiver: "m1", micros: 7, usage };
      await store.turns.close(id, { reply: "!", scope, step: { step, result: {} }, session: { touch: true }, spent });
      return asked.join(" ");
    };
    // Where the chain ends is looked up once.
    expect(await take()).toBe("write read write write");
    expect(await take()).toBe("write write write");
    await given.store.turns.recordStep((await open(scope)).id, kept);
    expect(await take()).toBe("write write write");
    expect((await verifyStore(given.store.home, { agent: scope.agent })).faults).toEqual([]);
    expect(await store.spending.of({ agent: scope.agent, user: "cy", day: "2026-02-18" })).toMatchObject({
      user: nobody,
      agent: { micros: 21 },
    });
    await store.close();
  });
});
