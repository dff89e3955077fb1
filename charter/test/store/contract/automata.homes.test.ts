import { expect, test } from "vitest";
import { onEveryHome, problemOf } from "./given.ts";

onEveryHome("automata", (given) => {
  const usage = { input: 1, read: 0, written: 0, output: 1 };
  const spend = (agent: string, micros: number) =>
    given.store.spending.add({ agent }, { day: "2026-02-18", receiver: "m1", micros, usage });
  const by = (runner: string, isGone = (_: string) => false) => ({ runner, leaseMs: 60_000, isGone });

  test("one process is in charge at a time; a silent or dead one is followed by another", async () => {
    const agent = await given.agent();
    const { automata } = given.store;
    expect(await automata.find(agent)).toBeUndefined();
    expect(await automata.claim(agent, by("one"))).toEqual({
      agent,
      state: "Bootstrapping",
      stateAt: given.clock.text(),
      turn: null,
      tier: "Normal",
      goodChecks: 0,
      granted: null,
      spent: 0,
      asleepUntil: null,
      ownTurnAt: null,
      away: null,
      turns: 0,
      runner: "one",
      address: null,
      leasedUntil: new Date(Date.parse(given.clock.text()) + 60_000).toISOString(),
    });
    const other = (await given.another()).automata;
    expect(await other.claim(agent, by("two"))).toBeUndefined();
    expect(await automata.claim(agent, by("one"))).toMatchObject({ runner: "one" });
    expect(
      await other.claim(
        agent,
        by("two", (runner) => runner === "one"),
      ),
    ).toMatchObject({ runner: "two" });
    expect(await automata.renew(agent, "one", 60_000)).toBe(false);
    expect(await other.renew(agent, "two", 60_000)).toBe(true);
    given.clock.move(61_000);
    expect(await automata.claim(agent, by("one"))).toMatchObject({ runner: "one" });
    await other.release(agent, "two");
    expect(await other.claim(agent, by("two"))).toBeUndefined();
    await automata.release(agent, "one");
    expect(await other.claim(agent, by("two"))).toMatchObject({ runner: "two" });
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 ? other : automata).claim(
          agent,
          by(`r${index}`, () => false),
        ),
      ),
    );
    expect(claims.filter(Boolean)).toEqual([]);
  });

  test("a model is away since it first gave no answer; a turn's try counts if the next it was asked was answered", async () => {
    const agent = await given.agent();
    const { automata, inbox } = given.store;
    await automata.claim(agent, by("one"));
    await inbox.post({ agent, sender: "bo", body: "Hello.", id: "m1" });
    const because = "It was away.";
    const fail = async (turn: string) => {
      await inbox.claim(agent, turn);
      await inbox.finish({ agent, turn, replies: [], failures: [{ message: "m1", because, outage: true }] });
      await inbox.markAway(agent, { because, turn });
    };
    const since = given.clock.text();
    const tried = async () => {
      const { status, tries, failures } = await inbox.get(agent, "m1");
      return [status, tries, failures.map(({ turn }) => turn)];
    };
    await fail("t1");
    expect((await automata.find(agent))?.away).toEqual({ since, because, turn: "t1" });
    given.clock.move(5000);
    await inbox.markAway(agent, { because: "It is busy." });
    expect((await automata.find(agent))?.away).toEqual({ since, because: "It is busy.", turn: null });
    await inbox.markBack(agent);
    await inbox.markBack(agent);
    expect([(await automata.find(agent))?.away, await tried()]).toEqual([null, ["waiting", 0, ["t1"]]]);
    for (const turn of ["t2", "t3", "t4"]) {
      await fail(turn);
      await inbox.markBack(agent);
    }
    expect(await tried()).toEqual(["dead", 3, ["t1", "t2", "t3", "t4"]]);
    const told = (kind: string) => given.store.events.list({ agent, kind });
    expect((await told("model-away")).map(({ turn, detail }) => [turn, detail]).at(-1)).toEqual(["t1", { because }]);
    expect((await told("model-back")).map(({ detail }) => detail).at(-1)).toEqual({ since });
    expect([(await told("model-away")).length, (await told("model-back")).length]).toEqual([4, 4]);
    expect(await given.store.events.list({ agent, kind: "message-dead" })).toMatchObject([
      { turn: "t4", scope: { user: "counterpart:bo" }, detail: { message: "m1", tries: 3, because } },
    ]);
  });

  test("each change of state is recorded with its turn and cause, and the row has the last", async () => {
    const agent = await given.agent();
    const at = given.clock.text();
    const changes = [
      { from: "Bootstrapping", to: "Idle", cause: "started", turn: null, at },
      { from: "Idle", to: "LoadingContext", cause: "message", turn: "t1", at },
      { from: "LoadingContext", to: "Faulted", cause: "answered", turn: "t1", at, fault: true as const },
    ];
    await given.store.automata.record(agent, changes, { tier: "LowCycles", goodChecks: 2, ownTurnAt: at });
    expect(await given.store.automata.find(agent)).toMatchObject({
      ...{ state: "Faulted", turn: "t1", tier: "LowCycles", goodChecks: 2, ownTurnAt: at },
    });
    const told = (await given.store.events.list({ agent })).map(({ kind, turn, detail }) => [kind, turn, detail]);
    expect(told.reverse().slice(-4)).toEqual([
      ["automaton-state", null, { from: "Bootstrapping", to: "Idle", cause: "started" }],
      ["automaton-state", "t1", { from: "Idle", to: "LoadingContext", cause: "message" }],
      ["automaton-fault", "t1", { from: "LoadingContext", to: "Faulted", cause: "answered" }],
      ["automaton-tier", null, { from: "Normal", to: "LowCycles" }],
    ]);
    await given.store.automata.record(agent, [], { tier: "LowCycles" });
    expect((await given.store.events.list({ agent, kind: "automaton-tier" })).length).toBe(1);
  });

  test("what was granted is counted from the first grant on, and so is what is spent", async () => {
    const agent = await given.agent();
    await spend(agent, 500);
    expect(await given.store.automata.grant(agent, 1_000_000, "olga")).toMatchObject({ granted: 1_000_000, spent: 0 });
    await spend(agent, 40);
    const scope = { agent, user: "bo" };
    const { id } = await given.store.turns.open({ scope, input: "?" });
    await given.store.turns.close(id, { reply: "!", spent: { day: "2026-02-18", receiver: "m1", micros: 7, usage } });
    expect(await given.store.automata.grant(agent, 5, "olga")).toMatchObject({
      ...{ granted: 1_000_005, spent: 47, turns: 1 },
    });
    // A user that is erased takes nothing of it along.
    await given.store.erase({ user: "bo", agent });
    expect(await given.store.automata.find(agent)).toMatchObject({ granted: 1_000_005, spent: 47, turns: 1 });
    for (const micros of [0, 1.5, Number.NaN])
      expect(await problemOf(given.store.automata.grant(agent, micros, "olga"))).toBe(
        `bad-grant: ${micros} cannot be granted. Give a whole number of millionths of a dollar; below 0 they are taken back.`,
      );
    expect((await given.store.events.list({ agent, kind: "automaton-granted" })).map(({ detail }) => detail)).toEqual([
      { micros: 5, by: "olga" },
      { micros: 1_000_000, by: "olga" },
    ]);
  });

  test("what was granted is taken back as far as it is there, and it is on record", async () => {
    const agent = await given.agent();
    const { automata, events } = given.store;
    const take = (micros: number) => problemOf(automata.grant(agent, -micros, "olga"));
    const refused = (left: number, micros: number) =>
      `bad-grant: “${agent}” has ${left} millionths of a dollar left, and ${micros} were to be taken back.`;
    expect(await take(1)).toBe(`${refused(0, 1)} There is nothing to take back.`);
    await automata.grant(agent, 100, "olga");
    await spend(agent, 40);
    expect(await take(61)).toBe(`${refused(60, 61)} Take back 60 at most.`);
    expect(await automata.grant(agent, -60, "olga")).toMatchObject({ granted: 40, spent: 40 });
    await spend(agent, 5);
    expect(await take(1)).toBe(`${refused(0, 1)} There is nothing to take back.`);
    expect((await events.list({ agent, kind: "automaton-granted" })).map(({ detail }) => detail.micros)).toEqual([
      -60, 100,
    ]);
  });

  test("it sleeps until a time, or until it is woken", async () => {
    const agent = await given.agent();
    const until = "2030-01-01T00:00:00.000Z";
    expect(await given.store.automata.sleep(agent, until, "olga")).toMatchObject({ asleepUntil: until });
    expect(await given.store.automata.wake(agent, "olga")).toMatchObject({ asleepUntil: null });
    expect(await given.store.automata.sleep(agent, undefined, "olga")).toMatchObject({
      asleepUntil: "9999-12-31T23:59:59.999Z",
    });
    expect(await problemOf(given.store.automata.sleep("nobody", undefined, "olga"))).toMatch(/^unknown-agent: /);
  });

  test("what the last turns cost is known, and what all did since a time; without a price it is not", async () => {
    const agent = await given.agent();
    const turn = async (micros: number, unpriced = false) => {
      given.clock.move(60_000);
      const { id } = await given.store.turns.open({ scope: { agent }, input: "?" });
      const spent = { day: "2026-02-18", receiver: "m1", micros, usage };
      await given.store.turns.close(id, { reply: "!", spent: unpriced ? { ...spent, unpriced: true } : spent });
      return given.clock.text();
    };
    await turn(5);
    const since = await turn(7);
    await turn(0, true);
    expect(await given.store.automata.costs(agent, since)).toEqual({ last: [null, 7, 5], since: 7 });
    for (let index = 0; index < 50; index++) await turn(1);
    const { last } = await given.store.automata.costs(agent, since);
    expect(last).toEqual(Array(50).fill(1));
  });
});
