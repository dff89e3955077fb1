import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import type { Message, Model } from "../../src/delivery/model.ts";
import { loadModel } from "../../src/delivery/models/provider.ts";
import type { Receiver } from "../../src/delivery/receiver.ts";
import type { Charter, Reading, Readings } from "../../src/index.ts";
import { type AnthropicBody, systemTextsOf } from "../../src/testing/strict/anthropic.ts";
import { type GeminiBody, systemTextsOfGemini } from "../../src/testing/strict/gemini.ts";
import {
  type ChatBody,
  type ResponsesBody,
  systemTextsOfChat,
  systemTextsOfResponses,
} from "../../src/testing/strict/openai.ts";
import { type SpokenText, strangersIn } from "../../src/testing/strict/request.ts";
import { environmentAt } from "../delivery/loopback.ts";
import { assistantSays, createTalk } from "../delivery/talk.ts";
import { runs } from "../tiers/search.ts";
import { alwaysAsync, given, hostile, sectionsOf } from "./generate.ts";

/** Whatever a charter is, and whoever reads it: no stranger speaks for the system. Bodies are made by the real packages. */

const canary = "canary7f3a";

const anthropic = (body: string) => systemTextsOf(JSON.parse(body) as AnthropicBody);
const responses = (body: string) => systemTextsOfResponses(JSON.parse(body) as ResponsesBody);
const chat = (body: string) => systemTextsOfChat(JSON.parse(body) as ChatBody);
const gemini = (body: string) => systemTextsOfGemini(JSON.parse(body) as GeminiBody);

/** Receivers of every kind, and how their bodies are read. */
const readers: readonly (readonly [
  name: string,
  spoken: (body: string) => readonly SpokenText[],
  more?: Partial<Receiver>,
])[] = [
  ["anthropic/claude-sonnet-5-5", anthropic],
  ["anthropic/claude-sonnet-4-6", anthropic],
  ["openai/gpt-5.6-terra", responses],
  ["openai/gpt-4.1", responses],
  ["openai-chat/gpt-5.6-terra", chat],
  ["openai-chat/gpt-4.1", chat],
  ["openrouter/anthropic/claude-sonnet-5.5", chat],
  ["openai-compatible/qwen3", chat],
  ["openai-compatible/mistral", chat, { roles: "alternate", voice: "user" }],
  ["openai-compatible/plain", chat, { slots: "one-string" }],
  ["google/gemini-3.8-flash", gemini],
];

let sent = "";
const models = new Map<string, Model>();
beforeAll(async () => {
  const fetch = async (_url: unknown, init?: RequestInit) => {
    sent = String(init?.body);
    return new Response("{}", { status: 400 });
  };
  for (const [name, , overrides = {}] of readers)
    models.set(
      name,
      await loadModel(name, {
        env: environmentAt("http://127.0.0.1:9"),
        fetch: fetch as typeof globalThis.fetch,
        overrides,
      }),
    );
});

/** Which parts of a section strangers wrote. */
type Written = (
  section: { readonly trust?: string | undefined },
  part: { readonly trust?: string | undefined },
) => boolean;

/** The readings with a stranger's word at the head of each part that a stranger wrote. */
function withCanaries(charter: Charter, readings: Readings, isStrangers: Written, when: string): Readings {
  const sections = new Map(sectionsOf(charter).map(({ section }) => [section.name, section]));
  const marked = ([name, reading]: [string, Reading]): [string, Reading] => {
    const section = sections.get(name);
    if (!section || reading.status !== "present") return [name, reading];
    const parts = reading.parts.map((part) => ({
      ...part,
      text: isStrangers(section, part) ? `${canary} ${when} ${part.text}` : `${when} ${part.text}`,
    }));
    return [name, { ...reading, parts }];
  };
  return Object.fromEntries(Object.entries(readings).map(marked));
}

/** The bodies of a first request, of one after a tool's result, and of one in the next turn; what is read changes before each. */
async function bodiesOf(charter: Charter, readings: Readings, model: Model, isStrangers: Written): Promise<string[]> {
  const talk = createTalk(charter, model.receiver);
  const called: readonly Message[] = [
    { role: "assistant", text: "", calls: [{ id: "call_1", name: "look", input: "{}" }] },
    { role: "tool", results: [{ call: "call_1", name: "look", output: "A cup." }] },
  ];
  const offers = [{ name: "look", description: "Looks.", input: { type: "object", properties: {} } }];
  const bodies: string[] = [];
  for (const [when, said, input] of [
    ["once", [], "Hello."],
    ["then", called, undefined],
    ["last", [assistantSays("A cup.")], "And now?"],
  ] as const) {
    talk.answer(...said);
    const asking = { offers, ...(input === undefined ? {} : { input }) };
    const { delivery } = talk.ask(withCanaries(charter, readings, isStrangers, when), asking);
    await model.ask(delivery.request, { signal: new AbortController().signal });
    bodies.push(sent);
  }
  return bodies;
}

const charters = given({ words: hostile });
const kinds: readonly [what: string, isStrangers: Written][] = [
  ["whose section is foreign", ({ trust }, part) => (part.trust ?? trust) === "foreign" && trust === "foreign"],
  [
    "who wrote one part of a section that is not foreign",
    ({ trust }, part) => part.trust === "foreign" && trust !== "foreign",
  ],
];
for (const [what, isStrangers] of kinds)
  test(`a stranger ${what} speaks nowhere for the system`, async () => {
    let seen = 0;
    await alwaysAsync(
      fc.tuple(charters, fc.constantFrom(...readers)),
      async ([{ charter, readings }, [name, spoken]]) => {
        const bodies = await bodiesOf(charter, readings, models.get(name) as Model, isStrangers);
        for (const body of bodies) {
          if (body.includes(canary)) seen++;
          expect(strangersIn(spoken(body), [canary])).toEqual([]);
        }
      },
      runs(100, 10_000),
    );
    expect(seen).toBeGreaterThan(10);
  });
