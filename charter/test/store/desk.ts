import { allowedHand, type Charter, defineCharter, type Proposal, staleRevision, wellFormed } from "../../src/index.ts";
import { type AmendmentContext, createStore, type Home, type Store } from "../../src/store/index.ts";

/** A small charter: one section that is the agent's, one that is each user's. */
export const charter: Charter = defineCharter({
  name: "test",
  layers: [
    { name: "law", mutability: "fixed", sections: [{ name: "law", heading: "## Law", words: "Harm no one." }] },
    {
      name: "own",
      mutability: { amendableBy: ["agent", "user", "operator"], scope: "agent", approvedBy: "nobody" },
      sections: [
        { name: "goals", heading: "## Goals", original: "Grow." },
        {
          name: "wishes",
          heading: "## Wishes",
          mutability: { amendableBy: ["agent", "user", "operator"], scope: "user" },
        },
      ],
    },
  ],
});

/** The same, where what one user's turn changes for all waits for the operator. */
export const guarded: Charter = defineCharter({
  ...charter,
  layers: charter.layers.map((layer) =>
    layer.name === "own"
      ? { ...layer, mutability: { amendableBy: ["agent", "user", "operator"], scope: "agent" } }
      : layer,
  ),
});

export function deskOf(over: Partial<AmendmentContext> = {}): AmendmentContext {
  return {
    charter,
    scope: { agent: "ada" },
    rules: () => ({ guards: [allowedHand, staleRevision, wellFormed] }),
    ...over,
  };
}

export function rewrite(content: string, more: Partial<Proposal> = {}): Proposal {
  return { section: "goals", operation: { kind: "rewrite", content }, actor: "agent", ...more };
}

/** A store whose clock moves a second each time it is looked at, from this hour on. */
export function openAt(hour: number, home: Home): Promise<Store> {
  let seconds = 0;
  return createStore(home, { now: () => new Date(Date.UTC(2026, 1, 18, hour, 0, seconds++)) });
}

/** The same with one agent in it. */
export async function newStore(home: Home): Promise<Store> {
  const store = await openAt(0, home);
  await store.agents.put({ name: "ada", charter: "test" });
  return store;
}
