import { expect, test } from "vitest";
import { bothHomes } from "../homes.ts";
import { onHome } from "../store/contract/given.ts";
import { bo, createReading } from "./reading.ts";
import { tx } from "./scripted-chain.ts";

/** More at once than a database takes in one statement. */
for (const home of bothHomes)
  onHome(home, `a chain with very many posts, on ${home}`, (given) => {
    test("thousands of posts are taken at once, withdrawn at once, and wait again in their order", async () => {
      const { chain, reader, agent, close } = await createReading({
        ...{ store: given.store, agent: await given.agent(), clock: given.clock.now },
        settings: { confirmations: 1 },
      });
      const posts = Array.from({ length: 100 }, (_, at) =>
        tx(...Array.from({ length: 30 }, (_, index) => ({ sender: bo, body: `Number ${30 * at + index}.` }))),
      );
      chain.mine(posts);
      expect(await reader.tick()).toBe(3000);
      expect(await given.store.inbox.countWaiting(agent)).toBe(3000);
      chain.reorganise(1, [[], []]);
      await reader.tick();
      expect(await given.store.inbox.countWaiting(agent)).toBe(0);
      chain.mine(posts);
      await reader.tick();
      expect(await given.store.inbox.countWaiting(agent)).toBe(3000);
      const first = await given.store.inbox.claim(agent, "t1", { limit: 3 });
      expect(first.map(({ body }) => body)).toEqual(["Number 0.", "Number 1.", "Number 2."]);
      await close();
    });
  });
