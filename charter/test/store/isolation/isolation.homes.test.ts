import { expect, test } from "vitest";
import { onEveryHome, problemOf } from "../contract/given.ts";
import { deskOf, rewrite } from "../desk.ts";
import { expectIsolated } from "./expect-isolated.ts";
import { kinds, nothingWritten, secret } from "./isolation-kinds.ts";
import { reachable } from "./reachable.ts";

onEveryHome("isolation", (given) => {
  test("nothing of one user is reached through another's scope, whatever was written in whatever order", () =>
    expectIsolated(given, 6));

  test("a held proposal's words are reached by its own user among what waits, and nowhere else", async () => {
    const { store } = given;
    const agent = await given.agent();
    const all = nothingWritten();
    const [, hold] = kinds;
    for (const user of ["a", "b"]) await hold?.(store, agent, user, secret(user, 0), all);
    for (const [index, user] of ["a", "b"].entries()) {
      const learnt: unknown[] = JSON.parse(await reachable(store, agent, user, all));
      const waiting = await store.held.get(all.held[index] as string, { agent, user });
      expect(learnt.filter((one) => JSON.stringify(one).includes("secret-of-"))).toEqual([[waiting], waiting]);
    }
  });

  test("nothing of one user is changed through another's scope", async () => {
    const agent = await given.agent();
    const all = nothingWritten();
    for (const [index, write] of kinds.entries()) await write(given.store, agent, "b", secret("b", index), all);
    const before = await reachable(given.store, agent, "b", { ...all, turns: [] });
    for (const scope of [{ agent, user: "a" }, { agent }]) {
      for (const id of all.notes)
        expect(await problemOf(given.store.memory.forget(scope, id))).toMatch(/^unknown-note: /);
      for (const id of all.schedules)
        expect(await problemOf(given.store.schedules.cancel(scope, id))).toMatch(/^unknown-schedule: /);
    }
    for (const address of all.addresses)
      expect(await problemOf(given.store.links.remove({ agent, user: "a" }, "telegram", address))).toMatch(
        /^unknown-link: /,
      );
    expect(all.addresses.length).toBe(1);
    expect((await given.store.links.of({ agent, user: "b" })).length).toBe(1);
    expect((await given.store.dispatches.list({ agent, user: "b", state: "waiting" })).length).toBe(1);
    await given.store.memory.save({ agent, user: "a" }, { text: "mine", key: "k" });
    await given.store.propose(deskOf({ scope: { agent, user: "a" } }), rewrite("mine", { section: "wishes" }));
    const after = await reachable(given.store, agent, "b", { ...all, turns: [] });
    const outcome = (learnt: string) => JSON.parse(learnt).slice(0, 5);
    expect(outcome(after).slice(4)).toEqual(outcome(before).slice(4));
    expect(after).not.toContain("mine");
  });
});
