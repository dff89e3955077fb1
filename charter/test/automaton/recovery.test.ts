import { describe, expect, test } from "vitest";
import { calls, hangs } from "../agent/model.ts";
import { tool } from "../agent/stage.ts";
import { eventually } from "../eventually.ts";
import { homes } from "../homes.ts";
import { addressA, addressB, agent, type LifeStage, lives } from "./stage.ts";

const life = lives();

/** A process that is in charge, has taken what waits, and gets no further. */
async function stuck(
  stage: LifeStage,
  then = "Fine.",
): Promise<{ readonly ended: Promise<number>; readonly go: () => void }> {
  let go = () => {};
  const asked = new Promise<void>((heard) => {
    stage.model.say(
      (_request, { signal }) =>
        new Promise((resolve) => {
          heard();
          go = () => resolve(then);
          signal.addEventListener("abort", () =>
            resolve({ fault: { code: "model-aborted", message: "Off.", retry: false } }),
          );
        }),
      "Fine.",
    );
  });
  const other = await stage.process();
  const ended = other.tick();
  await asked;
  return { ended, go: () => go() };
}

describe.each(homes)("on %s", (home) => {
  test("one process is in charge; another takes over when its lease is over, records the fault and mends; the old one sends nothing", async () => {
    const stage = await life(home);
    const { automaton, post, pass, wakeSleepers, replies, changes, message, store } = stage;
    await post(addressA, "Hello.", "m1");
    const { ended } = await stuck(stage);
    expect(await automaton.tick()).toBe(0);
    expect((await store.automata.find(agent))?.runner).toBe("elsewhere:1");
    // Longer than any lease: the process's and its turn's.
    pass(300_000);
    expect([await automaton.tick(), await automaton.tick()]).toEqual([0, 2]);
    expect(await changes()).toEqual(
      expect.arrayContaining([
        "FAULT LoadingContext → Faulted (tick is not foreseen in LoadingContext)",
        "Faulted → Idle (tick)",
      ]),
    );
    expect(await message("m1")).toMatchObject({ status: "answered", tries: 2 });
    expect((await message("m1")).failures.map(({ because }) => because)).toEqual(["The turn was interrupted."]);
    wakeSleepers();
    await ended;
    expect(await replies()).toEqual([[addressA, "Fine."]]);
  }, 60_000);

  test("a turn that still runs elsewhere is waited for: its message is not asked twice", async () => {
    const stage = await life(home);
    const { automaton, post, pass, replies, message } = stage;
    await post(addressA, "Hello.", "m1");
    const { ended, go } = await stuck(stage, "Late, but here.");
    // The process lost its charge; its turn may still be at it.
    pass(61_000);
    expect([await automaton.tick(), await automaton.tick()]).toEqual([0, 0]);
    expect(await message("m1")).toMatchObject({ status: "taken", tries: 1 });
    go();
    await ended;
    await automaton.tick();
    expect([await replies(), (await message("m1")).status]).toEqual([[[addressA, "Late, but here."]], "answered"]);
  });

  test("a turn that was answered before its process died is finished from its record, and not asked again", async () => {
    const stage = await life(home);
    const { automaton, store, model, post, replies } = stage;
    await post(addressA, "One.", "m1");
    await post(addressA, "Two.", "m2");
    model.say(
      calls(["reply", { message: "m1", body: "To one." }], ["reply", { message: "m2", body: "To two." }]),
      "Done.",
    );
    const dying = await stage.process({ host: dyingHost(await stage.another()) });
    await expect(dying.tick()).rejects.toThrow("The process died.");
    expect(await replies()).toEqual([]);
    await store.automata.release(agent, "elsewhere:1");
    expect([await automaton.tick(), await automaton.tick()]).toEqual([0, 0]);
    expect(await replies()).toEqual([
      [addressA, "To one."],
      [addressA, "To two."],
    ]);
    expect(model.requests).toHaveLength(2);
  });

  test("messages that were taken for a turn that never began fail that try, with the reason", async () => {
    const { automaton, store, post, message, replies } = await life(home);
    await post(addressA, "Hello.", "m1");
    await store.inbox.claim(agent, "a-turn-that-never-was", {});
    await automaton.tick();
    expect((await message("m1")).failures.map(({ turn, because }) => [turn, because])).toEqual([
      ["a-turn-that-never-was", "worker-lost: The process that took it did not come back."],
    ]);
    expect(await replies()).toEqual([[addressA, "Fine."]]);
  });
});

/** A host whose process dies when it is about to record what came of a turn with messages. */
function dyingHost(host: LifeStage["host"]): LifeStage["host"] {
  const finish = async () => {
    throw new Error("The process died.");
  };
  return { ...host, store: { ...host.store, inbox: { ...host.store.inbox, finish } } };
}

test("a turn whose process loses its charge is stopped at once", async () => {
  const stage = await life();
  const { store, post, wakeSleepers, message } = stage;
  await post(addressA, "Hello.", "m1");
  const { ended } = await stuck(stage);
  await store.automata.release(agent, "elsewhere:1");
  await store.automata.claim(agent, { runner: "elsewhere:9", leaseMs: 60_000 });
  wakeSleepers();
  await ended;
  expect((await store.turns.list({ agent }))[0]).toMatchObject({ state: "failed" });
  // Whoever is in charge now sees to it.
  expect(await message("m1")).toMatchObject({ status: "taken", failures: [] });
}, 60_000);

test("a process that lost its charge between taking a message and its turn asks no model", async () => {
  const { automaton, store, post, ...stage } = await life();
  await post(addressA, "Hello.", "m1");
  const host = await stage.another();
  const runTurn: typeof host.runTurn = async (asked, watching) => {
    await store.automata.release(agent, "elsewhere:1");
    await store.automata.claim(agent, { runner: "elsewhere:9", leaseMs: 60_000 });
    return host.runTurn(asked, watching);
  };
  const losing = await stage.process({ host: { ...host, runTurn } });
  await losing.tick();
  expect([stage.model.requests.length, await stage.message("m1")]).toMatchObject([
    0,
    { status: "taken", failures: [] },
  ]);
});

test("a process that lost its charge takes no more messages", async () => {
  const { automaton, store, post, message } = await life();
  await automaton.tick();
  const { runner } = (await store.automata.find(agent)) ?? {};
  await store.automata.release(agent, runner as string);
  await store.automata.claim(agent, { runner: "elsewhere:9", leaseMs: 60_000 });
  await post(addressA, "Hello.", "m1");
  expect([await automaton.tick(), (await message("m1")).status]).toEqual([0, "waiting"]);
});

test("while a turn runs its lease is renewed", async () => {
  const stage = await life();
  const { automaton, store, post, pass, wakeSleepers } = stage;
  await post(addressA, "Hello.", "m1");
  const { ended, go } = await stuck(stage);
  for (let seconds = 0; seconds < 120; seconds += 20) {
    pass(20_000);
    const until = (await store.automata.find(agent))?.leasedUntil;
    wakeSleepers();
    await eventually(async () => (await store.automata.find(agent))?.leasedUntil !== until);
  }
  expect(await automaton.tick()).toBe(0);
  go();
  expect(await ended).toBe(1);
});

test("a message whose sender was erased before its turn began is not written down again", async () => {
  const { store, post, ...stage } = await life();
  await post(addressA, "My secret.", "m1");
  const host = await stage.another();
  const runTurn: typeof host.runTurn = async (asked, watching) => {
    await store.erase({ agent, user: `counterpart:${addressA}` });
    return host.runTurn(asked, watching);
  };
  const automaton = await stage.process({ host: { ...host, runTurn } });
  await automaton.tick();
  expect([stage.model.requests.length, await stage.replies(), await store.inbox.countWaiting(agent)]).toEqual([
    0,
    [],
    0,
  ]);
});

test("stopped in the middle of a turn, it gives the turn its time, then stops it: the message waits for the next start", async () => {
  const { automaton, store, model, post, message } = await life();
  let asked = false;
  model.say(
    hangs(() => {
      asked = true;
    }),
  );
  await automaton.start();
  await post(addressA, "Hello.", "m1");
  await eventually(() => asked);
  await automaton.stop(0);
  expect(await message("m1")).toMatchObject({ status: "waiting", tries: 0 });
  expect(await store.automata.find(agent)).toMatchObject({ runner: null, state: "Idle" });
});

test.each(["before", "after"])(
  "an approved call whose process died %s it was told in the conversation is told there once, and not made again",
  async (when) => {
    let paid = 0;
    const pay = tool("pay", () => `Paid ${++paid}.`, { sensitive: true });
    const stage = await life("sqlite", { tools: [pay] });
    const { automaton, store, model, post } = stage;
    await post(addressB, "Pay the bill.", "m1");
    model.say(calls(["pay"]), "I asked for it.", "It is paid.");
    await automaton.tick();
    await automaton.stop();
    const [held] = await store.calls.list({ agent });
    await store.calls.approve(held?.id as string, "the operator");
    const host = await stage.another();
    const { conversations } = host.store;
    const record: typeof conversations.record = async (...given) => {
      if (when === "after") await conversations.record(...given);
      throw new Error("The process died.");
    };
    const dying = await stage.process({
      host: { ...host, store: { ...host.store, conversations: { ...conversations, record } } },
    });
    await expect(dying.tick()).rejects.toThrow("The process died.");
    await store.automata.release(agent, "elsewhere:1");
    for (let ticks = 0; ticks < 3; ticks++) await automaton.tick();
    const told = (await store.conversations.read(agent, addressB))?.exchanges ?? [];
    expect([paid, told.map(({ inbox_message_id, agent_reply }) => [inbox_message_id, agent_reply])]).toEqual([
      1,
      [
        ["m1", "I asked for it."],
        [`call:${held?.id}`, "It is paid."],
      ],
    ]);
  },
);
