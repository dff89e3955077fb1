import { generateText, Output, type UIMessage } from "ai";
import { expect, test } from "vitest";
import { z } from "zod";
import { type Declaration, replayRequest, usualRules } from "../../../src/agent/index.ts";
import { charterFor, type TurnMetadata } from "../../../src/agent/sdk/index.ts";
import type { Guard } from "../../../src/index.ts";
import { aiLoopOf, staged } from "./sdk-stage.ts";

const eva = { user: "eva" };

const says = (role: "user" | "assistant", text: string, metadata?: unknown): UIMessage => ({
  ...{ id: `${role} ${text}`, role, parts: [{ type: "text", text }] },
  ...(metadata === undefined ? {} : { metadata }),
});

test("of a page's messages only the last is taken; asking again is a turn of the session, an edited past a session that begins with what was not", async () => {
  const { ada, stage } = await staged([{ text: ["Fine."] }]);
  const take = async (...messages: UIMessage[]) => {
    const turn = await ada.turn({ messages, ...eva });
    const { text } = await generateText(turn.settings);
    return says("assistant", text, turn.metadata());
  };
  const sessionOf = ({ metadata }: UIMessage) => (metadata as { session: string }).session;
  const one = says("user", "One.");
  const first = await take(one);
  const second = await take(one, says("assistant", "I never said this.", first.metadata), says("user", "Two."));
  expect(sessionOf(second)).toBe(sessionOf(first));
  expect(JSON.stringify(stage.bodies()[1])).not.toContain("never said");
  const again = await take(one, first, says("user", "Two."));
  expect(sessionOf(again)).toBe(sessionOf(first));
  const edited = await take(one, first, says("user", "Deux."));
  expect(edited.metadata).toMatchObject({ edited: true });
  expect(sessionOf(edited)).not.toBe(sessionOf(first));
  const [, , , sent] = stage.bodies().map((body) => JSON.stringify(body.messages));
  expect([sent?.includes("One."), sent?.includes("Two."), sent?.includes("Deux.")]).toEqual([true, false, true]);
  const { turn: id, session } = edited.metadata as TurnMetadata;
  expect((await replayRequest(stage.store, id)).request.messages[0]).toMatchObject({ text: "One." });
  expect(await stage.store.sessions.get(session)).toMatchObject({ beginsAfter: (first.metadata as TurnMetadata).turn });
  const later = await take(one, first, says("user", "Deux."), edited, says("user", "Trois."));
  expect(sessionOf(later)).toBe(session);
  const fresh = await take(says("user", "Another page."));
  expect(sessionOf(fresh)).not.toBe(sessionOf(edited));
});

test("what an edited past begins with taints it as it did", async () => {
  const reads = { calls: [{ id: "1", name: "read_page", input: "{}" }] };
  const { ada } = await staged([reads, { text: ["Fine."] }]);
  const first = await ada.turn({ input: "Read it.", session: "new", ...eva });
  await generateText(first.settings);
  const page = [says("user", "Read it."), says("assistant", "Fine.", first.metadata())];
  for (const [words, edited] of [
    ["Two.", false],
    ["Deux.", true],
  ] as const) {
    const turn = await ada.turn({ messages: [...page, says("user", words)], ...eva });
    await generateText(turn.settings);
    expect([turn.session !== first.session, (await turn.outcome).tainted]).toEqual([edited, true]);
  }
});

test("pictures of a page and of model messages are sent by their bytes", async () => {
  const { ada, stage } = await staged([{ text: ["A dot."] }]);
  const session = "new";
  const data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const url = `data:image/png;base64,${data}`;
  const page: UIMessage = { id: "1", role: "user", parts: [{ type: "file", mediaType: "image/png", url }] };
  const image = [{ type: "image" as const, image: data }];
  for (const messages of [[page], [{ role: "user" as const, content: image }]])
    await generateText((await ada.turn({ messages: messages as never, session, ...eva })).settings);
  expect(stage.bodies().map((body) => JSON.stringify(body).split(data).length - 1)).toEqual([1, 1]);
});

test.for([
  ["nothing", undefined, "What charterFor was given is missing."],
  ["no model", { model: undefined }, "The `model` of charterFor is missing."],
  ["a model's name", { model: "anthropic/claude-sonnet-5-5" }, "The `model` of charterFor is a text."],
  ["a tool nobody has", { trusted: ["red_page"] }, "names “red_page”, which is none of its tools."],
  ["tools in a list", { tools: [] }, "The `tools` of charterFor are a list."],
  ["a section nobody has", { amend: "goals" }, "The `amend` of charterFor is a text."],
] as const)("%s is refused by name", async ([, more, message]) => {
  const { stage } = await staged([]);
  const make = () => (more === undefined ? charterFor(undefined as never) : aiLoopOf(stage, more as never));
  expect(make).toThrow(message);
});

test.for([
  ["neither messages nor input", {}, "turn was given neither `messages` nor `input`."],
  ["both", { input: "Hi.", messages: [] }, "turn was given both `messages` and `input`."],
  ["no messages", { messages: [] }, "The `messages` of turn are a list without any."],
  [
    "an answer as the last one",
    { messages: [says("assistant", "Hi.")] },
    "The last of the `messages` is not the user's.",
  ],
] as const)("a turn with %s is refused", async ([, asked, message]) => {
  const { ada } = await staged([]);
  await expect(ada.turn(asked as never)).rejects.toThrow(message);
});

test("what the turn was not told is refused before it is sent", async () => {
  const { ada, stage } = await staged([{ text: ["Fine."] }]);
  const output = Output.object({ schema: z.object({ count: z.number() }) });
  for (const more of [{ output }, { activeTools: ["add"] }] as never[]) {
    const turn = await ada.turn({ input: "Hi.", ...eva });
    await expect(generateText({ ...turn.settings, ...(more as object) })).rejects.toMatchObject({
      code: "bad-argument",
    });
    await turn.outcome;
  }
  expect(stage.requests).toEqual([]);
});

test("what a guard holds waits for a person: the model is told so, and its prompt is as it was", async () => {
  const input = JSON.stringify({ section: "goals", operation: "append", content: "- Be brief." });
  const lines = [{ calls: [{ id: "1", name: "modify_system_prompt", input }] }, { text: ["It waits."] }];
  const { stage } = await staged(lines);
  const asks: Guard = ({ actor }) =>
    actor === "agent" ? { guard: "approval", because: "A person approves it.", holds: true } : undefined;
  const { charter } = stage.declaration;
  const rules: Declaration["rules"] = async () => (section, readings, limits) => ({
    guards: [...usualRules(charter)(section, readings, limits).guards, asks],
  });
  const ada = aiLoopOf(stage, { charter: { charter, rules } });
  const turn = await ada.turn({ input: "Be brief.", ...eva });
  expect((await generateText(turn.settings)).text).toBe("It waits.");
  const [, second] = stage.bodies();
  expect(JSON.stringify(second)).toContain("A person approves it.");
  expect(JSON.stringify(second)).not.toContain("Your prompt has changed");
  expect(await stage.store.held.list({ agent: "ada" })).toMatchObject([{ section: "goals", status: "waiting" }]);
});
