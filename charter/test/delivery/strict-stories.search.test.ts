import { expect, test } from "vitest";
import { modifySystemPrompt, type TurnOutcome } from "../../src/agent/index.ts";
import { artifact, assistant, coder, exampleSoul } from "../../src/charters/index.ts";
import { loadModel } from "../../src/delivery/index.ts";
import { type Charter, fromText, usualGuards } from "../../src/index.ts";
import {
  callsTools,
  type StrictLine,
  type StrictRequest,
  type StrictStart,
  startsOf,
} from "../../src/testing/index.ts";
import { tool } from "../agent/stage.ts";
import { randomFrom, seed, times } from "../tiers/search.ts";
import { canary, isSummary, lawful, look, newStrictStage } from "./strict-stage.ts";

/** Long sessions with Claude Sonnet 5.5 in which everything happens, on a server that takes only what Anthropic documents. */

const take = tool("take", () => "Taken.");
const read = tool("read", () => "leaf ".repeat(400));
const live = (now: string, words: string) => fromText(`${words} ${now.slice(0, 16)}`, { source: "mallory" });
const moving: Charter = lawful([
  {
    name: "now",
    mutability: "live",
    sections: [
      {
        name: "clock",
        heading: "## Clock",
        stability: "state",
        trust: "own",
        sources: [({ now }) => live(now, "It is")],
      },
      { name: "page", heading: "## Page", trust: "foreign", sources: [({ now }) => live(now.slice(0, 13), canary)] },
      {
        name: "inbox",
        heading: "## Inbox",
        trust: "foreign",
        stability: "state",
        sources: [({ now }) => live(now, canary)],
      },
      {
        name: "news",
        heading: "## News",
        trust: "foreign",
        stability: "event",
        sources: [({ now }) => live(now, canary)],
      },
    ],
  },
]);
const charters = {
  moving: {
    charter: moving,
    rules: async () => (_section: string, readings: never, limits: never) => ({
      guards: usualGuards(moving, readings, limits),
    }),
  },
  assistant: assistant({ soul: exampleSoul, identity: '{"name":"Eva"}' }),
  coder: coder({ context: ({ now }) => fromText(`Since ${now.slice(0, 13)}.`, { source: "AGENTS.md" }) }),
  artifact: artifact({ scope: "user", original: "I am a trading agent." }),
} as const;

/** The text of the block with which a request is another than those before it. */
function textAt({ body }: StrictRequest, { at }: StrictStart): string {
  const [, message = 0, , block = 0] = at.split(".").map(Number);
  const { messages } = body as {
    readonly messages: readonly { readonly content: readonly { readonly text?: string }[] }[];
  };
  return messages[message]?.content[block]?.text ?? "";
}

for (const [name, charter] of Object.entries(charters))
  for (let run = 0; run < times(4); run++)
    test(`fifty turns of ${name}, number ${run + 1}`, async () => {
      const random = randomFrom(seed * 1000 + run);
      const happens = (share: number) => random() < share;
      const stage = await newStrictStage();
      const { server } = stage;
      const other = await loadModel("openai/gpt-5.6-terra", { env: server.env });
      const rewriting = modifySystemPrompt({ section: "goals" });
      const amends = name === "moving" || name === "artifact";
      let store = stage.store;
      // What came before the turn: on whose model, with which tools, and if stable text is told in a message (the coder's says the hour).
      let [isOther, hadTake, isWaiting] = [false, false, name === "coder"];
      for (let turn = 0; turn < 50; turn++) {
        const isCold = happens(0.1);
        stage.wait(isCold ? 7200 : 20);
        if (happens(0.1)) store = await stage.restarted();
        // The session stays with the model that answered, so Claude is seldom out.
        const isOut = happens(0.03);
        const say = (line: StrictLine) => (request: StrictRequest) => {
          if (isSummary(request)) return "We spoke of tea.";
          return isOut && request.kind === "anthropic" ? { status: 529 } : line;
        };
        const wanted = [callsTools(["look"]), callsTools(["read"]), callsTools(["look"], ["read"])];
        const amendment = callsTools([
          "modify_system_prompt",
          { operation: "append", content: `- Rule ${turn}.`, reason: "Asked." },
        ]);
        const calls = [...wanted, ...(amends ? [amendment] : [])].filter(() => happens(0.4));
        let step = 0;
        const ends = happens(0.05) ? [{ text: "", thought: false as const }, "Yes."] : [`Answer ${turn}.`];
        const lines = [...calls, ...ends];
        server.say(
          ...Array<StrictLine>(40).fill((request) => {
            const line = say(lines[Math.min(step, lines.length - 1)] as StrictLine)(request);
            if (!isSummary(request) && !(typeof line === "object" && "status" in line)) step++;
            return line;
          }),
        );
        const hasTake = happens(0.3);
        const tools = [look, read, ...(name === "moving" ? [rewriting] : []), ...(hasTake ? [take] : [])];
        const before = { told: stage.told.length, summaries: server.requests.filter(isSummary).length };
        const agent = stage.agent(charter as never, { store, tools, compactAt: 6000, model: [stage.model, other] });
        const outcome: TurnOutcome = await agent.runTurn({ input: `Question ${turn}?`, user: "bo", channel: "web" });
        expect([turn, outcome.state, server.findings]).toEqual([turn, "answered", []]);
        const isCompacted = server.requests.filter(isSummary).length > before.summaries;
        const why: readonly (readonly [reason: string, holds: boolean])[] = [
          ["opened", turn === 0],
          // Claude is told of tools in a message, and binds its reasoning: for neither is there a fold.
          ["the tools changed, and they come before everything that is cached", isOther && hasTake !== hadTake],
          ["the history was compacted", isCompacted],
          ["the cache is cold", isOther && isCold && isWaiting],
        ];
        const because = [
          why.find(([, holds]) => holds)?.[0] ?? [],
          isOut && !isOther ? "the model changed" : [],
        ].flat();
        const told = stage.told.slice(before.told).map(({ reason }) => reason);
        expect([turn, told]).toEqual([turn, because]);
        isOther ||= isOut;
        hadTake = hasTake;
        if (name === "artifact") isWaiting = calls.includes(amendment) || (isWaiting && told.length === 0);
      }
      const known = new Set([
        ...stage.told.map(({ request }) => request),
        ...server.requests.filter(isSummary).map(({ index }) => index),
      ]);
      // One that was not answered is sent again as it was.
      for (const { index, status } of server.requests) if (known.has(index) && status !== 200) known.add(index + 1);
      // An empty answer is none either: what was told last is told again, after the words that ask for another.
      const untold = startsOf(server.requests)
        .filter(({ request }) => !known.has(request))
        .map((start) => ({ ...start, text: textAt(server.requests[start.request] as StrictRequest, start) }));
      expect(untold.filter(({ text }) => !text.includes("[Your answer was empty]\n"))).toEqual([]);
      expect(server.requests.flatMap(({ dropped }) => dropped)).toEqual([]);
      await stage.close();
    });
