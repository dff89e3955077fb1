import { describe, expect, test } from "vitest";
import { calls } from "../agent/model.ts";
import { eventually } from "../eventually.ts";
import { homes } from "../homes.ts";
import { addressA, agent, type LifeStage, lives, stuck } from "./stage.ts";

const life = lives();

describe.each(homes)("who is in charge, on %s", (home) => {
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
  });

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

  test("started, it answers a message as soon as it is posted, and stops when told", async () => {
    const { automaton, store, post, replies } = await life(home);
    await automaton.start();
    await eventually(async () => (await store.automata.find(agent))?.state === "Idle");
    await post(addressA, "Hello.", "m1");
    await eventually(async () => (await replies()).length === 1);
    await automaton.stop();
    expect(await store.automata.find(agent)).toMatchObject({ runner: null, state: "Idle" });
    await post(addressA, "Are you there?", "m2");
    expect(await store.inbox.countWaiting(agent)).toBe(1);
  });
});

/** A host whose process dies when it is about to record what came of a turn with messages. */
function dyingHost(host: LifeStage["host"]): LifeStage["host"] {
  const finish = async () => {
    throw new Error("The process died.");
  };
  return { ...host, store: { ...host.store, inbox: { ...host.store.inbox, finish } } };
}
