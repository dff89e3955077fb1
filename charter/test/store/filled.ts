import { createHash } from "node:crypto";
import {
  allowedHand,
  assemble,
  type Charter,
  defineCharter,
  fromText,
  gather,
  type Placement,
  type Prompt,
  receiptOf,
  type Scope,
  wellFormed,
} from "../../src/index.ts";
import { type AmendmentContext, createStore, type Home, type RecordedStep, type Store } from "../../src/store/index.ts";

export const sha256 = (text: string) => createHash("sha256").update(text, "utf8").digest("hex");

/** Fixed words, the agent's, each user's, and what every turn makes afresh. */
export const charter: Charter = defineCharter({
  name: "filled",
  layers: [
    {
      name: "law",
      mutability: "fixed",
      sections: [{ name: "law", heading: "## Law", words: "Harm no one. ".repeat(20) }],
    },
    {
      name: "own",
      mutability: { amendableBy: ["agent", "user", "operator"], scope: "agent" },
      sections: [
        { name: "goals", heading: "## Goals", original: "Grow." },
        {
          name: "wishes",
          heading: "## Wishes",
          mutability: { amendableBy: ["agent", "user", "operator"], scope: "user" },
        },
      ],
    },
    {
      name: "now",
      mutability: "live",
      sections: [
        {
          name: "clock",
          heading: "## Now",
          stability: "state",
          trust: "own",
          sources: [({ channel }) => fromText(`It is ${channel}.`)],
        },
      ],
    },
  ],
});

/** Words long enough to be packed, and much like the ones before them. */
export function words(about: string, count: number): string {
  const lines = Array.from({ length: 12 }, (_, line) => `${line}. ${about} keeps this line since the beginning.`);
  return [...lines, `Changed for the ${count}th time, for ${about}.`].join("\n");
}

export function deskFor(scope: Scope, idempotencyKey?: string): AmendmentContext {
  const rules = () => ({ guards: [allowedHand, wellFormed] });
  return { charter, scope, rules, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
}

/** A store whose clock moves a second each time it is looked at. */
export async function openStore(home: Home, agents: readonly string[] = []): Promise<Store> {
  let seconds = 0;
  const store = await createStore(home, { now: () => new Date(Date.UTC(2026, 1, 18, 0, 0, seconds++)) });
  for (const name of agents) await store.agents.put({ name, charter: "filled" });
  return store;
}

/** What a turn of this scope would send now. */
export async function promptNow(store: Store, scope: Scope, now: string): Promise<Prompt> {
  const standing = await store.standings.read(charter, scope);
  const turn = { ...scope, now: "2026-02-18T00:00:00Z", channel: now, tools: [], standing };
  return assemble(charter, await gather(charter, turn));
}

/** Keeps one step of a turn, and gives what was sent in it. */
export async function keepStep(
  store: Store,
  turn: string,
  scope: Scope,
  now: string,
  placements?: readonly Placement[],
): Promise<RecordedStep & { readonly text: string }> {
  const prompt = await promptNow(store, scope, now);
  const kept = await store.turns.recordStep(
    turn,
    receiptOf(charter, prompt, { sha256, ...(placements ? { placements } : {}) }),
  );
  return { ...kept, text: prompt.text };
}

/** Two agents, three users, amendments by every hand, turns of one and two steps. */
export async function fill(home: Home): Promise<Store> {
  const store = await openStore(home, ["ada", "bob"]);
  const users = ["bo", "cy", "di"];
  for (let count = 1; count <= 8; count++)
    for (const agent of ["ada", "bob"]) {
      const key = count % 3 === 0 ? `k${count}` : undefined;
      const reason = count % 2 === 0 ? `for the ${count}th time` : undefined;
      const asked = { actor: "agent", turn: `t${count}`, ...(reason ? { reason } : {}) } as const;
      const goals = { kind: "rewrite", content: words(`${agent}'s goal`, count) } as const;
      await store.propose(deskFor({ agent }, key), { section: "goals", operation: goals, ...asked });
      for (const user of users) {
        const wishes = { kind: "rewrite", content: words(`${user}'s wish`, count) } as const;
        await store.propose(deskFor({ agent, user }, key), { section: "wishes", operation: wishes, ...asked });
      }
      const user = users[count % 3] as string;
      const scope = { agent, user };
      const { id } = await store.turns.open({ scope, input: `Question ${count}?`, channel: "web" });
      for (let step = 1; step <= 3; step++) {
        const { step: number } = await keepStep(store, id, scope, `${count}:0${step}`);
        if (step < 3)
          await store.turns.recordResult(id, number, {
            usage: { input: 100 * count, read: null, written: null, output: step },
          });
      }
      await store.turns.close(id, { reply: `Answer ${count}.` });
    }
  return store;
}
