import fc from "fast-check";
import { expect } from "vitest";
import type { Given } from "../contract/given.ts";
import { kinds, nothingWritten, secret, type User, users } from "./isolation-kinds.ts";
import { reachable } from "./reachable.ts";

/** Who writes what, in which order. */
const scripts = fc.array(fc.tuple(fc.constantFrom(...users), fc.nat({ max: kinds.length - 1 })), { minLength: 12 });

/** Through each user's scope all is reached that this user wrote, and nothing that another did. */
export async function expectIsolated(given: Given, numRuns: number): Promise<void> {
  const holds = async (script: readonly (readonly [User, number])[]) => {
    const agent = await given.agent();
    const all = nothingWritten();
    for (const [index, [user, kind]] of script.entries())
      await kinds[kind]?.(given.store, agent, user, secret(user, index), all);
    for (const user of users) {
      const learnt = await reachable(given.store, agent, user, all);
      for (const other of users) if (other !== user) expect(learnt).not.toContain(`secret-of-${other}`);
      const reached = learnt.match(/secret-of-\w number \d+\./g);
      const own = script.flatMap(([who], index) => (who === user ? [`secret-of-${user} number ${index}.`] : []));
      expect(new Set(reached)).toEqual(new Set(own));
    }
  };
  await fc.assert(fc.asyncProperty(scripts, holds), { numRuns });
}
