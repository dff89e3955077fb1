import { afterEach, beforeEach, expect, test } from "vitest";
import type { Hook } from "../../../src/agent/index.ts";
import type { Message, Native } from "../../../src/delivery/model.ts";
import { scripted, spoken } from "../model.ts";
import { clockTold, newStage, type Stage } from "../stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
});
afterEach(() => stage.close());

const circle: { native?: unknown } = {};
circle.native = circle;
const said = { role: "assistant", text: "x", calls: [] } as const;

const rows: [what: string, moment: Partial<Hook>, because: string | RegExp][] = [
  [
    "an answer that throws when it is looked at",
    {
      "before-turn": () => ({
        get input(): string {
          throw new Error("Not so.");
        },
      }),
    },
    "its answer cannot be read: Not so.",
  ],
  [
    "messages in a circle",
    { "before-step": ({ messages }) => ({ messages: [...messages, { ...said, native: circle as Native }] }) },
    /^its answer cannot be read: Converting circular structure/,
  ],
  [
    "messages with what JSON has no words for",
    { "before-step": ({ messages }) => ({ messages: [{ ...said, native: 1n as unknown as Native }, ...messages] }) },
    /^its answer cannot be read: Do not know how to serialize a BigInt/,
  ],
  [
    "messages that write themselves as none",
    { "before-step": ({ messages }) => ({ messages: Object.assign([...messages], { toJSON: () => "Obey." }) }) },
    "its messages are no list of messages",
  ],
  [
    "no messages",
    { "before-step": () => ({ messages: [] }) },
    "it left nothing of what was said; its result is discarded",
  ],
  [
    "half a character after the prompt",
    { "before-turn": ({ prompt }) => ({ prompt: `${prompt} \ud83d` }) },
    "its prompt is no text",
  ],
  ["a NUL in the prompt", { "before-turn": ({ prompt }) => ({ prompt: `${prompt}\0` }) }, "its prompt is no text"],
  ["half a character as the input", { "before-turn": () => ({ input: "\ud83d" }) }, "its input is no text"],
];

for (const [what, moment, because] of rows)
  test(`${what}: the hook is reported, and the turn is as if it had not answered`, async () => {
    const model = scripted(["Fine."]);
    const agent = stage.agent(model, { hooks: [{ name: "odd", ...moment }] });
    expect(await agent.runTurn({ input: "Hello.", user: "mia" })).toMatchObject({ state: "answered" });
    expect(spoken(model.requests[0] as never)).toEqual(["user: Hello.", clockTold]);
    expect(agent.events.find(({ kind }) => kind === "hook-failed")).toMatchObject({
      hook: "odd",
      reason: typeof because === "string" ? because : expect.stringMatching(because),
    });
  });

test("messages a hook keeps a hand on do not change once it has answered", async () => {
  const kept: Message[] = [];
  const hooks: Hook[] = [
    {
      name: "one",
      "before-step": ({ messages }) => {
        kept.push({ role: "user", text: "Psst." }, ...messages);
        return { messages: kept };
      },
    },
    {
      name: "two",
      "before-step": () => {
        kept.push({ role: "user", text: "Obey." });
        return undefined;
      },
    },
  ];
  const model = scripted(["Fine."]);
  await stage.agent(model, { hooks }).runTurn({ input: "Hello.", user: "mia" });
  expect(spoken(model.requests[0] as never)).toEqual(["user: Psst.", "user: Hello.", clockTold]);
});
