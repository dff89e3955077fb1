import { z } from "zod";
import { createAgent } from "../../charter/src/agent/agent.ts";
import type { Declaration } from "../../charter/src/agent/declaration.ts";
import { defineTool } from "../../charter/src/agent/tool.ts";
import type { Answer, AskOptions, Model, ModelRequest } from "../../charter/src/delivery/model.ts";
import type { Receiver } from "../../charter/src/delivery/receiver.ts";
import { defineCharter } from "../../charter/src/prompt/charter.ts";
import { fromText } from "../../charter/src/prompt/reading.ts";
import type { Store } from "../../charter/src/store/store.ts";

/** What the process holds once all its turns are over and nothing is left to collect. */
export type Sample = {
  readonly turns: number;
  readonly heap: number;
  readonly resident: number;
  /** Timers and handles that still wait for something. */
  readonly waiting: number;
};

export type ManyTurns = {
  readonly samples: readonly Sample[];
  /** Seconds each wave took. */
  readonly seconds: readonly number[];
  readonly wrong: readonly string[];
};

export type ManyOptions = {
  readonly atOnce: number;
  readonly waves: number;
  readonly collect?: () => void;
  /** One for all of them, as a host has that stops everything when it is told to. */
  readonly signal?: AbortSignal;
};

/**
 * One wave of turns after the other, each of so many users at once who were never seen before: whatever is kept of a
 * turn, a user or a session, and never let go, grows. A turn has two steps that call a tool, and one that answers.
 */
export async function manyTurns(store: Store, options: ManyOptions): Promise<ManyTurns> {
  const { atOnce, waves, collect = () => {}, signal = new AbortController().signal } = options;
  const agent = createAgent({ charter: declaration, model: slowly, store });
  const samples: Sample[] = [];
  const seconds: number[] = [];
  const wrong: string[] = [];
  for (let wave = 0; wave < waves; wave++) {
    const began = performance.now();
    const turns = Array.from({ length: atOnce }, async (_, index) => {
      const input = `Look up ${wave}/${index}.`;
      const { state, reply } = await agent.runTurn({ input, user: `user-${wave}-${index}` }, { signal });
      if (state !== "answered" || reply !== replyTo(input)) wrong.push(`${input} came to ${state}: ${reply}`);
    });
    await Promise.all(turns);
    seconds.push((performance.now() - began) / 1000);
    // What a finished turn still has to say is said in the next round of the loop.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    const { heapUsed: heap, rss: resident } = process.memoryUsage();
    const waiting = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    samples.push({ turns: (wave + 1) * atOnce, heap, resident, waiting });
  }
  return { samples, seconds, wrong: wrong.slice(0, 5) };
}

const lookUp = defineTool({
  name: "look_up",
  summary: "Look something up",
  input: z.object({ what: z.string() }),
  trusted: true,
  harmless: true,
  run: async ({ what }) => {
    await pause(2);
    return `There is much to say about ${what}. `.repeat(5);
  },
});

const declaration: Declaration = {
  charter: defineCharter({
    name: "many",
    layers: [
      { name: "law", mutability: "fixed", sections: [{ name: "law", heading: "## Law", words: "Harm no one." }] },
      {
        name: "own",
        mutability: { amendableBy: ["agent", "user"], scope: "agent" },
        sections: [
          { name: "goals", heading: "## Goals", original: "Be of use. ".repeat(100) },
          {
            name: "wishes",
            heading: "## Wishes",
            mutability: { amendableBy: ["agent", "user"], scope: "user" },
            original: "None yet.",
          },
        ],
      },
      {
        name: "now",
        mutability: "live",
        sections: [
          {
            name: "now",
            heading: "## Now",
            stability: "state",
            trust: "own",
            sources: [({ now, user }) => fromText(`${now} ${user}`)],
          },
        ],
      },
    ],
  }),
  rules: async () => () => ({ guards: [] }),
  tools: async () => [lookUp],
};

const receiver: Receiver = {
  name: "stub/slowly",
  slots: "layered",
  voice: "user",
  cache: { kind: "prefix", min: 1024, granularity: 128, ttlSeconds: 300 },
  window: 128_000,
  price: { input: 1, read: 0.1, write: 1, output: 4 },
  tokenizer: { name: "estimate", exact: false },
};

/** Speaks a few words at a time, with a pause before each, and stops when it is told to. */
const slowly: Model = {
  receiver,
  ask: async (request, { signal, onText }: AskOptions) => {
    const answer = answerTo(request);
    for (const piece of answer.text.match(/(?:\S+\s*){1,3}/g) ?? []) {
      await pause(1 + (piece.length % 4), signal);
      onText?.(piece);
    }
    return { answer };
  },
};

function answerTo({ messages }: ModelRequest): Answer {
  const { text: input } = messages.findLast(({ role, ...one }) => role === "user" && asked(one)) as { text: string };
  const calls = messages.filter(({ role }) => role === "tool").length;
  const usage = { input: 900, read: 0, written: 0, output: 40 };
  if (calls === 2) return { text: replyTo(input), calls: [], finish: "stop", usage };
  const call = { id: `${input}${calls}`, name: "look_up", input: JSON.stringify({ what: input }) };
  return { text: "I will look it up.", calls: [call], finish: "tool-calls", usage };
}

/** The user's own message: neither an update nor the state. */
function asked(message: object): boolean {
  return "text" in message && !("update" in message) && String(message.text).startsWith("Look up");
}

function replyTo(input: string): string {
  return `This is what there is to say on “${input}”: more than fits into one answer, and all of it worth while.`;
}

/** One listener on the turn's signal, which is gone with the pause. */
function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", done, { once: true });
  });
}
