import { createAgent } from "../../charter/src/agent/agent.ts";
import type { Declaration } from "../../charter/src/agent/declaration.ts";
import type { Answer, Model } from "../../charter/src/delivery/model.ts";
import type { Receiver } from "../../charter/src/delivery/receiver.ts";
import type { Charter } from "../../charter/src/prompt/charter.ts";
import type { Standing } from "../../charter/src/prompt/reading.ts";
import type { Store } from "../../charter/src/store/store.ts";
import { o200k } from "../tokenizers.ts";
import { createSource, declare } from "./sovereign-charter.ts";
import type { Exchange, Inputs, LayerText } from "./sovereign-turns.ts";

export const agentName = "sovereign-turns";

/** The charter of sovereign-turns with a source that reads whichever turn is set. */
export type Sourced = { readonly charter: Charter; readonly read: (inputs: Inputs) => void };

export function sourced(layers: readonly LayerText[]): Sourced {
  const plain = declare(layers);
  const source = createSource(plain);
  let inputs: Inputs | undefined;
  const read = () => source(inputs as Inputs).now as NonNullable<ReturnType<typeof source>["now"]>;
  const charter: Charter = {
    ...plain,
    layers: plain.layers.map((layer) => ({
      ...layer,
      sections: layer.sections.map((section) =>
        section.name === "now" ? { ...section, trust: "own", sources: [read] } : section,
      ),
    })),
  };
  return {
    charter,
    read: (turn) => {
      inputs = turn;
    },
  };
}

/** What a counterpart of a turn wrote last, and what was answered: the turn's input and its reply. */
export function exchangeOf({ conversations }: Inputs, turn: number): Exchange {
  return conversations[turn % conversations.length]?.entries.at(-1) as Exchange;
}

const receiver: Receiver = {
  name: "stub/at-once",
  slots: "layered",
  voice: "system",
  cache: { kind: "breakpoint", min: 1024, maxBreakpoints: 4, implicit: false, lookback: 20, ttlSeconds: 300 },
  window: 200_000,
  price: { input: 3, read: 0.3, write: 3.75, output: 15 },
  tokenizer: { name: o200k.name, exact: true },
};

/** A model that answers at once, with what it is told to. */
export function atOnce(reply: () => string): Model {
  const usage = { input: 4000, read: 3000, written: 500, output: 60 };
  return {
    receiver,
    ask: async () => {
      const answer: Answer = { text: reply(), calls: [], finish: "stop", usage };
      return { answer };
    },
  };
}

export function createSovereignAgent(store: Store, { charter }: Sourced, reply: () => string) {
  const declaration: Declaration = { charter, rules: async () => () => ({ guards: [] }) };
  return createAgent({ name: agentName, charter: declaration, model: atOnce(reply), store, tokenizer: o200k });
}

/** The agent's own layers, each amended once, as they are in an agent that has lived for a while. */
export async function amendLayers(store: Store, charter: Charter): Promise<Readonly<Record<string, Standing>>> {
  const scope = { agent: agentName };
  await store.agents.put({ name: agentName, charter: charter.name });
  for (const { name, original } of charter.layers.flatMap(({ sections }) => sections)) {
    if (original === undefined) continue;
    const operation = { kind: "rewrite" as const, content: `${original}\n- Learned since: begin with the inbox.` };
    await store.propose(
      { charter, scope, rules: () => ({ guards: [] }) },
      { section: name, operation, actor: "agent" },
    );
  }
  return store.standings.read(charter, scope);
}
