import { expect } from "vitest";
import type { SendReplies } from "../../src/channels/chain/reply-sender.ts";
import type { Store } from "../../src/store/index.ts";
import { onChain, type ReplyStage } from "./reply-stage.ts";

/** Looks and blocks until the reply is final. */
export async function finish(
  { look, chain, pass, reply }: ReplyStage,
  count = 1,
  worker?: SendReplies,
): Promise<string[]> {
  const states: string[] = [];
  for (let round = 0; round < 40; round++) {
    await look(worker);
    const { state } = await reply(count);
    if (states.at(-1) !== state) states.push(state);
    if (state === "final" || state === "failed") return states;
    chain.mine();
    pass(5_000);
  }
  throw new Error(`It is not final: ${states.join(", ")}`);
}

/**
 * One reply after the other, each by someone who dies a few steps later than the last one did, until one gets through.
 * The next one always sends the same transaction. Gives the number of steps there are.
 */
export async function dieAtMoments(one: ReplyStage, step: number): Promise<number> {
  for (let count = 1, moment = 1; ; count++, moment += step) {
    await one.answer(count);
    const { ask, store, isDead } = dying(one, moment);
    const states = await finish(one, count, one.worker({ ask, store })).catch(() => undefined);
    one.pass(31_000);
    await one.claim("one:1");
    if (states === undefined) await finish(one, count);
    expect([moment, one.chain.replies().length, one.chain.transactions()]).toEqual([moment, count, count]);
    expect(one.chain.replies().at(-1)).toEqual([onChain(count), `Answer ${count}`]);
    if (!isDead()) return moment;
  }
}

/** A store and a node that work until that many calls were made, and then never again. */
function dying({ store, chain }: ReplyStage, moment: number) {
  let left = moment;
  const step = () => {
    if (--left < 0) throw new Error("killed");
  };
  const wrap = <Some extends object>(of: Some): Some =>
    new Proxy(of, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value === "object" && value !== null) return wrap(value);
        if (typeof value !== "function") return value;
        return async (...args: unknown[]) => {
          step();
          const result = await (value as (...args: unknown[]) => unknown)(...args);
          // It may also die after it was done, and before anybody heard of it.
          step();
          return result;
        };
      },
    });
  return {
    isDead: () => left < 0,
    store: { ...store, chain: wrap(store.chain) } as Store,
    ask: async (method: string, params: readonly unknown[]) => {
      step();
      const answer = await chain.ask(method, params);
      step();
      return answer;
    },
  };
}
