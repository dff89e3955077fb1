import fc from "fast-check";
import { expect, test } from "vitest";
import type { Store } from "../../../src/store/index.ts";
import { onEveryHome, problemOf } from "../contract/given.ts";
import { charter, deskOf, rewrite } from "../desk.ts";
import { kinds, nothingWritten, secret, type User, users, type Written } from "./isolation-kinds.ts";

/** Everything that can be learnt through one scope, by every function that takes one, asked for everyone's ids. */
async function reachable(store: Store, agent: string, user: User, all: Written): Promise<string> {
  const scope = { agent, user };
  const tried = async (work: Promise<unknown>) => work.catch((problem: Error) => problem.message);
  const learnt: unknown[] = [
    await store.standings.read(charter, scope),
    await store.history.list(scope, "wishes"),
    await store.history.listWhole(scope, "wishes"),
    await store.history.sections(scope),
    await store.memory.list(scope, { limit: 1000 }),
    await store.sessions.latest(scope),
    await store.turns.list({ agent, user }),
    await store.events.list({ agent, user, limit: 1000 }),
    await store.schedules.list({ agent, user }),
    await store.calls.list({ agent, user }),
    await store.calls.claim(scope),
    await store.runs.list({ agent, user }),
    await store.links.of(scope),
    await store.dispatches.list({ agent, user }),
    await store.conversations.read(agent, user),
  ];
  for (let revision = 0; revision < 8; revision++) learnt.push(await store.history.at(scope, "wishes", revision));
  for (const query of ["", "secret", "number", "secret-of-a", "secret-of-b", "secret-of-c", "cret", '"secret of b"'])
    learnt.push((await store.memory.search(scope, query, { limit: 1000 })).notes);
  for (const id of all.turns) {
    learnt.push(await tried(store.turns.get(id, scope)), await tried(store.steps.of(id, scope)));
    learnt.push(await tried(store.steps.replay(id, undefined, scope).then(({ slots }) => slots)));
  }
  for (const id of all.sessions) {
    learnt.push(await tried(store.sessions.get(id, scope)), await tried(store.sessions.newestTurn(id, scope)));
    learnt.push(await tried(store.sessions.history(id, {}, scope)));
  }
  for (const id of all.runs) learnt.push(await tried(store.runs.get(id, scope)));
  for (const id of all.schedules) learnt.push(await tried(store.schedules.get(id, scope)));
  for (const id of all.calls) learnt.push(await tried(store.calls.get(id, scope)));
  for (const to of [1, 2, 3])
    learnt.push(
      await store.propose(deskOf({ scope }), {
        ...rewrite("x", { section: "wishes" }),
        operation: { kind: "revert", to },
      }),
    );
  return JSON.stringify(learnt);
}

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
