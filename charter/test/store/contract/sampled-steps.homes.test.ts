import { expect, test } from "vitest";
import { receiptOf, type Scope } from "../../../src/index.ts";
import { sha256 } from "../../../src/store/texts/packing.ts";
import { charter, deskOf, rewrite } from "../desk.ts";
import { longWords, promptFor } from "../lived.ts";
import { onEveryHome } from "./given.ts";

const usage = { input: 1, read: 0, written: 0, output: 1 };

async function all<Step>(steps: AsyncIterable<Step>): Promise<Step[]> {
  const out: Step[] = [];
  for await (const step of steps) out.push(step);
  return out;
}

onEveryHome("the steps of many turns", (given) => {
  const open = async (scope: Scope) => (await given.store.sessions.open({ scope, receiver: "m1" })).id;
  /** A turn, each of whose steps is answered or not. */
  const take = async (scope: Scope, session: string | undefined, ...steps: readonly ("answered" | "unanswered")[]) => {
    given.clock.move(1000);
    const { turns } = given.store;
    const { id } = await turns.open({ scope, input: "?", ...(session === undefined ? {} : { session }) });
    for (const [index, how] of steps.entries()) {
      const prompt = await promptFor(given.store, scope.agent, scope.user);
      await turns.recordStep(id, { ...receiptOf(charter, prompt, { sha256 }), scope });
      await turns.recordResult(id, index + 1, how === "answered" ? { usage } : { partial: '"usage":{' }, { scope });
    }
    return id;
  };
  const sampled = async (...turns: readonly string[]) =>
    (await all(given.store.steps.sample(turns))).map(({ turn, step, session }) => [turn, step, session]);

  test("come in the order in which they were taken, after the last that was answered in each session", async () => {
    const [bo, cy] = [await given.scope(), { agent: "", user: "cy" }];
    cy.agent = bo.agent;
    const [one, other] = [await open(bo), await open(cy)];
    const first = await take(bo, one, "answered", "answered", "unanswered");
    const hers = await take(cy, other, "answered");
    const second = await take(bo, one, "answered");
    const third = await take(bo, one, "answered", "answered");
    const alone = await take(bo, undefined, "answered");
    const nothing = await take(bo, one);
    expect(await sampled(third, hers, alone, nothing)).toEqual([
      [hers, 1, other],
      [second, 1, one],
      [third, 1, one],
      [third, 2, one],
      [alone, 1, null],
    ]);
    expect(await sampled(second)).toEqual([
      [first, 2, one],
      [second, 1, one],
    ]);
    expect(await sampled(first, second)).toEqual([
      [first, 1, one],
      [first, 2, one],
      [first, 3, one],
      [second, 1, one],
    ]);
    expect(await sampled()).toEqual([]);
    expect(await sampled("nothing")).toEqual([]);
  });

  test("have the very receipts that each has alone, also for who has read nothing yet", async () => {
    const scope = await given.scope();
    const turns: string[] = [];
    for (let index = 0; index < 40; index++) {
      await given.store.propose(deskOf({ scope }), rewrite(longWords("wren", index)));
      turns.push(await take(scope, undefined, "answered"));
    }
    const other = await given.another();
    const steps = await all(other.steps.sample(turns));
    expect(steps.length).toBe(40);
    for (const { turn, receipt, result } of steps) {
      const [alone] = await given.store.steps.of(turn);
      expect([turn, receipt, result]).toEqual([turn, alone?.receipt, alone?.result]);
      expect(receipt).not.toBeNull();
    }
  });

  test("are read some at a time, each as it is by then: however many there are, few are in memory", async () => {
    const scope = await given.scope();
    const turn = await take(scope, await open(scope), ...Array.from({ length: 130 }, () => "answered" as const));
    const seen: [step: number, there: boolean][] = [];
    for await (const { step, receipt } of given.store.steps.sample([turn])) {
      if (step === 1) await given.store.erase({ user: "bo", agent: scope.agent });
      seen.push([step, receipt !== null]);
    }
    expect(seen).toEqual(Array.from({ length: 130 }, (_, index) => [index + 1, index < 100]));
  });

  test("are told of without what was let go or erased", async () => {
    const scope = { agent: await given.agent(), user: "dee" };
    const session = await open(scope);
    const old = await take(scope, session, "answered");
    given.clock.move(3 * 86_400_000);
    const later = await take(scope, session, "answered");
    await given.store.retain({ receipts: 2 });
    const shown = async (...ids: string[]) =>
      (await all(given.store.steps.sample(ids))).map(({ turn, receipt, result, erasedAt }) => [
        turn,
        receipt !== null,
        result,
        erasedAt !== null,
      ]);
    expect(await shown(later)).toEqual([
      [old, false, null, true],
      [later, true, { usage }, false],
    ]);
    await given.store.erase({ user: "dee", agent: scope.agent });
    expect(await shown(old, later)).toEqual([
      [old, false, null, true],
      [later, false, null, true],
    ]);
  });
});
