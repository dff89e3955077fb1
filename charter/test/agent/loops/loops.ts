import { appendFileSync } from "node:fs";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { jsonSchema, streamText, tool } from "ai";
import OpenAI from "openai";
import { createAgent, modifySystemPrompt, type TurnInput, type TurnOutcome } from "../../../src/agent/index.ts";
import { charterFor } from "../../../src/agent/sdk/index.ts";
import { openTurn } from "../../../src/agent/session.ts";
import { toolOf } from "../../../src/agent/toolset.ts";
import {
  type Answer,
  faultFrom,
  fromAnthropic,
  fromOpenAIResponses,
  type ModelRequest,
  modelOf,
  type Receiver,
  receiverOf,
  toAnthropic,
  toOpenAIResponses,
} from "../../../src/delivery/index.ts";
import { defineCharter, fromText } from "../../../src/index.ts";
import { createStore, type Store, sqlite } from "../../../src/store/index.ts";
import { key } from "../../delivery/loopback.ts";

/** Where a loop lives: its database, the server of both providers; and since which turn. */
type LoopPlace = ToolPlace & {
  readonly database: string;
  readonly server: string;
  readonly turn: number;
};

/** The file that every run of a tool is written to, and who is told when one runs that never ends. */
type ToolPlace = { readonly effects: string; readonly copying: () => void };

/** An agent, by one of three loops. `ask`: sends a request once more, as the loop sends it. */
export type Loop = {
  readonly store: Store;
  readonly runTurn: (asked: TurnInput, signal: AbortSignal) => Promise<TurnOutcome>;
  readonly ask: (request: ModelRequest, receiver: string) => Promise<unknown>;
};

export type LoopName = keyof typeof loops;

/** The first model, and the one that is asked when it is out. */
const names = ["claude-sonnet-5-5", "gpt-5.6-terra"] as const;

const laws = Array.from(
  { length: 60 },
  (_, index) =>
    `${index + 1}. Whoever asks the library for book ${index * 37} is told where it stands, and nobody else.`,
).join("\n");

const charter = defineCharter({
  name: "librarian",
  layers: [
    { name: "law", mutability: "fixed", sections: [{ name: "law", heading: "## Law", words: laws }] },
    {
      name: "own",
      mutability: { amendableBy: ["agent"], scope: "agent" },
      sections: [{ name: "goals", heading: "## Goals", original: "- Help people." }],
    },
    {
      name: "now",
      mutability: "live",
      sections: [
        { name: "clock", heading: "## Clock", stability: "state", trust: "own", sources: [({ now }) => fromText(now)] },
      ],
    },
  ],
});

/** Tools of the AI SDK, whose every run is seen outside. One runs until it is ended from there. */
function toolsOf({ effects, copying }: ToolPlace) {
  const made = (name: string, gives: (of: string) => unknown) =>
    tool({
      description: `Does ${name}.`,
      inputSchema: jsonSchema<{ of: string }>({
        type: "object",
        properties: { of: { type: "string" } },
        required: ["of"],
        additionalProperties: false,
      }),
      execute: async ({ of }) => {
        appendFileSync(effects, `${name} ${of}\n`);
        return gives(of);
      },
    });
  return {
    find_book: made("find_book", (of) => ({ found: `Shelf ${of.length}, ${of}.` })),
    read_page: made("read_page", (of) => `A stranger's words on ${of}. `.repeat(40)),
    pay: made("pay", (of) => `Paid for ${of}.`),
    copy_all: made("copy_all", () => {
      copying();
      return new Promise(() => {});
    }),
  };
}

const marks = {
  trusted: ["find_book", "pay", "copy_all"],
  reads: ["find_book"],
  harmless: ["read_page", "copy_all"],
} as const;

/** Three loops with the same agent, in a store that is opened anew. */
const loops = { createAgent: ours, openTurn: plain, streamText: sdk };
export const loopNames = Object.keys(loops) as LoopName[];

export async function openLoop(name: LoopName, place: LoopPlace): Promise<Loop> {
  let time = Date.UTC(2026, 1, 18, 9, place.turn);
  const clock = () => new Date(time++);
  const store = await createStore(sqlite(place.database), { now: clock });
  const about = { name: "ada", charter, store, clock, window, tokenizer, random: () => 0.5, sleep: async () => {} };
  return { store, ...loops[name](about, place) };
}

/** With this the history is summed up where the story says so. */
const window = 4000;

const tokenizer = { name: "quarter", exact: false, count: (text: string) => Math.ceil(text.length / 4) };

type About = Parameters<typeof charterFor>[0] extends infer Options ? Omit<Options & object, "model" | "tools"> : never;

function languagesAt(server: string) {
  const about = { baseURL: `${server}/v1`, apiKey: key };
  return [createAnthropic(about)(names[0]), createOpenAI(about)(names[1])] as const;
}

function askLanguage(server: string): Loop["ask"] {
  const models = languagesAt(server).map((language) => modelOf(language));
  return async (request, receiver) =>
    models.find((one) => one.receiver.name === receiver)?.ask(request, { signal: new AbortController().signal });
}

function ours(about: About, { server, ...place }: LoopPlace): Omit<Loop, "store"> {
  const agent = createAgent({ ...about, model: languagesAt(server), tools: ownTools(place) });
  return { runTurn: (asked, signal) => agent.runTurn(asked, { signal }), ask: askLanguage(server) };
}

function ownTools(place: ToolPlace) {
  const own = Object.entries(toolsOf(place)).map(([name, one]) => {
    const marked = Object.entries(marks).filter(([, list]) => (list as readonly string[]).includes(name));
    return toolOf(name, one as never, Object.fromEntries(marked.map(([mark]) => [mark, true])));
  });
  return [...own, modifySystemPrompt({ section: ["goals"] })];
}

function sdk(about: About, { server, ...place }: LoopPlace): Omit<Loop, "store"> {
  const ada = charterFor({ ...about, model: languagesAt(server), tools: toolsOf(place), ...marks, amend: true });
  return {
    runTurn: async (asked, signal) => {
      const turn = await ada.turn({ ...asked, signal });
      await streamText({ ...turn.settings, onError: () => {} }).consumeStream();
      return turn.outcome;
    },
    ask: askLanguage(server),
  };
}

/** A loop as somebody has it who asks with the providers' own SDKs. */
function plain(about: About, { server, ...place }: LoopPlace): Omit<Loop, "store"> {
  const anthropic = new Anthropic({ baseURL: server, apiKey: key, maxRetries: 0 });
  const openai = new OpenAI({ baseURL: `${server}/v1`, apiKey: key, maxRetries: 0 });
  const receivers = [receiverOf(`anthropic/${names[0]}`), receiverOf(`openai/${names[1]}`)] as const;
  const ask = async (request: ModelRequest, receiver: Receiver, signal?: AbortSignal): Promise<Answer> => {
    const stop = signal ? { signal } : {};
    if (receiver.name === receivers[0].name) {
      const body = { model: names[0], max_tokens: 1000, ...toAnthropic(request, receiver) };
      return fromAnthropic(await anthropic.messages.create(body, stop), receiver);
    }
    const body = { model: names[1], ...toOpenAIResponses(request, receiver) };
    return fromOpenAIResponses(await openai.responses.create(body, stop), receiver);
  };
  const loop = {
    ...about,
    receiver: receivers,
    tools: ownTools(place),
    summarise: (request: ModelRequest, { receiver, signal }: { receiver: Receiver; signal: AbortSignal }) =>
      ask(request, receiver, signal),
  };
  return {
    runTurn: async (asked, signal) => {
      const turn = await openTurn(loop, asked, { signal });
      try {
        for (;;) {
          const { request, receiver } = await turn.next();
          const heard = await ask(request, receiver, turn.signal).catch((error: unknown) => ({ error }));
          if ("error" in heard) {
            await turn.failed(faultFrom(heard.error, receiver));
            continue;
          }
          const { calls, done } = await turn.answered(heard);
          if (done) return await turn.end();
          for (const call of calls) await turn.run(call);
        }
      } catch (problem) {
        return turn.end({ problem });
      }
    },
    ask: (request, receiver) => ask(request, receivers.find(({ name }) => name === receiver) as Receiver),
  };
}

/** A life that takes one turn, unless it dies before. */
const [, program, ...given] = process.argv;
if (program === new URL(import.meta.url).pathname) {
  const [name, place, asked] = given as [LoopName, string, string];
  const loop = await openLoop(name, { ...JSON.parse(place), copying: () => process.send?.("copying") });
  await loop.runTurn(JSON.parse(asked), new AbortController().signal);
}
