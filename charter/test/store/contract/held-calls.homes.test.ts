import { expect, test } from "vitest";
import type { HeldCall, NewHeldCall } from "../../../src/store/index.ts";
import { counterpartKey } from "../../../src/store/scope.ts";
import { onEveryHome, problemOf } from "./given.ts";

const because = "Foreign words are in this turn's context.";

onEveryHome("held calls", (given) => {
  const asked = async (user = "bo") => {
    const scope = { agent: await given.agent(), user };
    const { id: turn } = await given.store.turns.open({ scope, input: "?" });
    const call: NewHeldCall = {
      turn,
      step: 2,
      call: "c1",
      tool: "send_mail",
      input: { to: ["a", 1, null] },
      reason: because,
    };
    return { scope, turn, call };
  };
  const hold = async () => {
    const { scope, call } = await asked();
    return given.store.calls.hold(scope, call);
  };
  const told = async (agent: string) =>
    (await given.store.events.list({ agent })).map(({ kind, turn, detail }) => [kind, turn, detail]);

  test("a call is kept with the directory it is for", async () => {
    const { scope, call } = await asked();
    const { id } = await given.store.calls.hold(scope, { ...call, place: "/home/bo/app" });
    expect(await given.store.calls.get(id)).toMatchObject({ ...call, place: "/home/bo/app" });
  });

  test("a held call is kept whole until a person decides, and held once", async () => {
    const { scope, turn, call } = await asked();
    const held = await given.store.calls.hold(scope, call);
    const whole: HeldCall = {
      id: held.id,
      scope,
      ...call,
      at: given.clock.text(),
      status: "waiting",
      decidedAt: null,
      decidedBy: null,
      decisionReason: null,
      takenAt: null,
      endedAt: null,
      result: null,
      place: null,
    };
    expect(held).toEqual(whole);
    given.clock.move(1000);
    const again = { ...call, input: "another", reason: "again" };
    expect(await given.store.calls.hold(scope, again)).toEqual(whole);
    const long = "c".repeat(20_000);
    const second = await given.store.calls.hold(scope, { ...call, call: long });
    expect(await given.store.calls.hold(scope, { ...call, call: long })).toEqual(second);
    expect(await given.store.calls.get(held.id)).toEqual(whole);
    expect(await given.store.calls.list({ agent: scope.agent })).toEqual([whole, second]);
    const events = (await told(scope.agent)).filter(([kind]) => kind === "tool-held");
    expect(events).toEqual([
      ["tool-held", turn, { held: second.id, call: long, tool: "send_mail", because }],
      ["tool-held", turn, { held: held.id, call: "c1", tool: "send_mail", because }],
    ]);
  });

  test("without a user it is for turns of its kind: the operator's, or a job's of its session or channel", async () => {
    const { calls, sessions, turns } = given.store;
    const scope = { agent: await given.agent() };
    const about = { scope, receiver: "test/one" };
    const [own, series] = [await sessions.open(about), await sessions.open({ ...about, job: true })];
    const single = { ownSession: "test/one", job: true } as const;
    const opened = {
      operator: { session: own.id },
      loop: {},
      series: { session: series.id },
      nightly: { ...single, channel: "nightly" },
      job: single,
    };
    for (const [tool, place] of Object.entries(opened)) {
      const { id: turn } = await turns.open({ scope, input: "?", ...place });
      await calls.approve(
        (await calls.hold(scope, { turn, step: 1, call: "c", tool, input: {}, reason: because })).id,
        "olga",
      );
    }
    const runners = [
      undefined,
      { job: true, session: series.id, channel: "nightly" },
      { job: true, session: series.id },
      { job: true, session: own.id },
    ];
    const toolsOf = (found: readonly HeldCall[]) => found.map(({ tool }) => tool);
    const listed: string[][] = [];
    for (const by of runners) listed.push(toolsOf(await calls.approved(scope, by)));
    const operators = ["operator", "loop"];
    expect(listed).toEqual([operators, ["series", "nightly"], ["series", "job"], ["job"]]);
    expect(toolsOf(await calls.claim(scope, { job: true, channel: "nightly" }))).toEqual(["nightly"]);
    expect(toolsOf(await calls.claim(scope))).toEqual(operators);
    expect(toolsOf(await calls.claim(scope, runners[2]))).toEqual(["series", "job"]);
  });

  test("approved in place, it is taken in the same step, once; both are on record", async () => {
    const held = await hold();
    const { scope, id, turn } = held;
    given.clock.move(1000);
    const at = given.clock.text();
    const taken = { ...held, status: "running", decidedAt: at, decidedBy: "bo", takenAt: at };
    expect(await given.store.calls.take(id, "bo")).toEqual(taken);
    expect(await given.store.calls.claim(scope)).toEqual([]);
    expect(await problemOf(given.store.calls.take(id, "bo"))).toMatch(/^already-decided: /);
    const detail = { held: id, call: "c1", tool: "send_mail", by: "bo" };
    const events = (await told(scope.agent)).filter(([kind]) => String(kind).startsWith("call-"));
    expect(events).toEqual([
      ["call-running", turn, detail],
      ["call-approved", turn, detail],
    ]);
  });

  test("approved, it is taken once, run, and what came of it is kept", async () => {
    const held = await hold();
    const { scope, id } = held;
    given.clock.move(1000);
    const approved = await given.store.calls.approve(id, "olga");
    expect(approved).toEqual({
      ...held,
      status: "approved",
      decidedAt: given.clock.text(),
      decidedBy: "olga",
    });
    given.clock.move(1000);
    const taken = { ...approved, status: "running", takenAt: given.clock.text() };
    expect(await given.store.calls.claim(scope)).toEqual([taken]);
    expect(await given.store.calls.claim(scope)).toEqual([]);
    expect(await given.store.calls.list({ agent: scope.agent, status: "running" })).toEqual([taken]);
    given.clock.move(1000);
    const done = await given.store.calls.finish(id, { status: "done", result: { sent: ["\ud800 \0", 1] } });
    expect(done).toEqual({
      ...taken,
      status: "done",
      endedAt: given.clock.text(),
      result: { sent: ["\ud800 \0", 1] },
    });
    expect(await given.store.calls.get(id)).toEqual(done);
    const detail = { held: id, call: "c1", tool: "send_mail" };
    expect(await told(scope.agent)).toEqual([
      ["call-done", held.turn, detail],
      ["call-running", held.turn, detail],
      ["call-approved", held.turn, { ...detail, by: "olga" }],
      ["tool-held", held.turn, { ...detail, because }],
      ["agent-set", null, { charter: "test", model: null }],
    ]);
  });

  test("given back, it is approved as before, and taken again; what was never taken cannot be", async () => {
    const { scope, id } = await hold();
    expect(await problemOf(given.store.calls.release(id))).toMatch(/^already-decided: /);
    const approved = await given.store.calls.approve(id, "olga");
    const [taken] = await given.store.calls.claim(scope);
    expect(await given.store.calls.release(id)).toEqual(approved);
    expect(await problemOf(given.store.calls.finish(id, { status: "done", result: 1 }))).toMatch(/^already-decided: /);
    expect(await given.store.calls.claim(scope)).toEqual([taken]);
  });

  test("of many who take at once, and many who decide, each call goes to one", async () => {
    const { scope, call } = await asked();
    const { calls } = given.store;
    const ids: string[] = [];
    for (let index = 0; index < 6; index++) ids.push((await calls.hold(scope, { ...call, call: `c${index}` })).id);
    const stores = await given.three();
    const decided = await Promise.allSettled(
      ids.flatMap((id) => stores.map((store) => store.calls.approve(id, "olga"))),
    );
    expect(decided.filter(({ status }) => status === "fulfilled").length).toBe(6);
    const [first = ""] = ids;
    const alone = await Promise.all(stores.map((store) => store.calls.claim(scope, { id: first })));
    expect(alone.flat().map(({ id }) => id)).toEqual([first]);
    const taken = await Promise.all([...stores, ...stores].map((store) => store.calls.claim(scope)));
    expect(
      taken
        .flat()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(ids.slice(1));
    expect((await given.store.events.list({ agent: scope.agent, kind: "call-running" })).length).toBe(6);
  });

  test("only what was approved in the very scope is taken, oldest first", async () => {
    const { scope, call } = await asked();
    const { calls, turns } = given.store;
    const [one, two, waiting] = [
      await calls.hold(scope, call),
      await calls.hold(scope, { ...call, call: "c2" }),
      await calls.hold(scope, { ...call, call: "c3" }),
    ];
    const { id: common } = await turns.open({ scope: { agent: scope.agent }, input: "?" });
    const agents = await calls.hold({ agent: scope.agent }, { ...call, turn: common });
    for (const { id } of [two, one, agents]) await calls.approve(id, "olga");
    expect(await calls.claim({ agent: scope.agent, user: "cy" })).toEqual([]);
    expect((await calls.claim(scope)).map(({ id }) => id)).toEqual([one.id, two.id]);
    expect((await calls.claim({ agent: scope.agent })).map(({ id }) => id)).toEqual([agents.id]);
    expect((await calls.list({ agent: scope.agent })).map(({ id }) => id)).toEqual([waiting.id]);
  });

  test("rejected, it is never taken, and says why", async () => {
    const held = await hold();
    given.clock.move(1000);
    const rejected = await given.store.calls.reject(held.id, "olga", "Not to strangers.");
    const decision = { decidedAt: given.clock.text(), decidedBy: "olga", decisionReason: "Not to strangers." };
    expect(rejected).toEqual({ ...held, status: "rejected", ...decision });
    expect(await given.store.calls.claim(held.scope)).toEqual([]);
    const detail = { held: held.id, call: "c1", tool: "send_mail", by: "olga", because: "Not to strangers." };
    expect((await told(held.scope.agent))[0]).toEqual(["call-rejected", held.turn, detail]);
    const silent = await hold();
    expect((await given.store.calls.reject(silent.id, "olga")).decisionReason).toBeNull();
  });

  test("what was decided is not decided again, and what is not running does not end", async () => {
    const { calls } = given.store;
    const { id, scope } = await hold();
    const at = given.clock.text();
    const decided = (is: string) =>
      `already-decided: The call “${id}” of “send_mail” ${is}. See it with \`charter approvals ${id}\`.`;
    const finish = () => problemOf(calls.finish(id, { status: "failed", result: "x" }));
    expect(await finish()).toBe(decided("waits for a person"));
    await calls.approve(id, "olga");
    expect(await problemOf(calls.approve(id, "otto"))).toBe(decided(`was approved ${at}`));
    expect(await problemOf(calls.reject(id, "otto"))).toBe(decided(`was approved ${at}`));
    expect(await finish()).toBe(decided(`was approved ${at}`));
    await calls.claim(scope);
    expect(await problemOf(calls.reject(id, "otto"))).toBe(decided(`was approved ${at} and is running`));
    await calls.finish(id, { status: "failed", result: "no route" });
    expect(await finish()).toBe(decided(`was approved ${at} and is failed`));
    const other = await hold();
    await calls.reject(other.id, "olga");
    expect(await problemOf(calls.approve(other.id, "otto"))).toMatch(/^already-decided: .* was rejected 2026/);
  });

  test("those of one agent, of one user, in pages, oldest first", async () => {
    const { scope, call } = await asked();
    const ids: string[] = [];
    for (let index = 0; index < 3; index++)
      ids.push((await given.store.calls.hold(scope, { ...call, call: `c${index}` })).id);
    const listed = async (page: object) =>
      (await given.store.calls.list({ agent: scope.agent, ...page })).map(({ id }) => id);
    expect(await listed({})).toEqual(ids);
    expect(await listed({ limit: 2 })).toEqual(ids.slice(0, 2));
    expect(await listed({ limit: 2, offset: 2 })).toEqual(ids.slice(2));
    expect(await listed({ user: "bo" })).toEqual(ids);
    expect(await listed({ user: "cy" })).toEqual([]);
    expect(await listed({ status: "approved" })).toEqual([]);
  });

  test("a call nobody holds is a problem, and so is one of a turn there is not", async () => {
    const unknown = "unknown-call: There is no held call “nope”. List what is waiting with `charter approvals`.";
    const { calls } = given.store;
    expect(await problemOf(calls.get("nope"))).toBe(unknown);
    expect(await problemOf(calls.approve("nope", "olga"))).toBe(unknown);
    expect(await problemOf(calls.reject("nope", "olga"))).toBe(unknown);
    expect(await problemOf(calls.finish("nope", { status: "done", result: 1 }))).toBe(unknown);
    const { scope, call, turn } = await asked();
    expect(await problemOf(calls.hold(scope, { ...call, turn: "nope" }))).toMatch(/^unknown-turn: /);
    expect(await problemOf(calls.hold(scope, { ...call, tool: "" }))).toMatch(/^bad-name: /);
    await given.store.turns.close(turn, { state: "interrupted" });
    expect(await problemOf(calls.hold(scope, call))).toMatch(/^turn-interrupted: /);
  });

  test("a call that was asked for in a turn on someone's letter is erased with them", async () => {
    const agent = await given.agent();
    const sender = `letter-${given.name}`;
    await given.store.inbox.post({ agent, sender, body: "Send me the list.", id: "m1" });
    const { id: turn } = await given.store.turns.open({ scope: { agent }, input: "?" });
    await given.store.inbox.claim(agent, turn);
    const call = { turn, step: 1, call: "c1", tool: "send_mail", input: { list: "of birds" }, reason: because };
    const { id } = await given.store.calls.hold({ agent }, call);
    expect(await given.store.erase({ user: counterpartKey(sender) })).toMatchObject({
      rows: { held_calls: 1, turns: 1 },
    });
    expect(await problemOf(given.store.calls.get(id))).toMatch(/^unknown-call: /);
  });
});
