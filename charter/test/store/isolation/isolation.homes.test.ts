import fc from "fast-check";
import { expect, test } from "vitest";
import { onEveryHome, problemOf } from "../contract/given.ts";
import { deskOf, rewrite } from "../desk.ts";
import { kinds, nothingWritten, secret, type User, users } from "./isolation-kinds.ts";
import { reachable } from "./reachable.ts";

onEveryHome("isolation", (given) => {
  test("nothing of one user is reached through another's scope, whatever was written in whatever order", async () => {
    const writes = fc.array(fc.tuple(fc.constantFrom(...users), fc.nat({ max: kinds.length - 1 })), { minLength: 12 });
    const holds = async (script: readonly (readonly [User, number])[]) => {
      const agent = await given.agent();
      const all = nothingWritten();
      for (const [index, [user, kind]] of script.entries())
        await kinds[kind]?.(given.store, agent, user, secret(user, index), all);
      for (const user of users) {
        const learnt = await reachable(given.store, agent, user, all);
        for (const other of users) if (other !== user) expect(learnt).not.toContain(`secret-of-${other}`);
        const wrote = script.some(([who, kind]) => who === user && kind !== 1);
        expect(learnt.includes(`secret-of-${user}`)).toBe(wrote);
      }
    };
    await fc.assert(fc.asyncProperty(writes, holds), { numRuns: 6, seed: Date.now() });
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
