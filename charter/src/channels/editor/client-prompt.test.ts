import { expect, test } from "vitest";
import { clientPromptOf, withoutBareSystemPrompt } from "./client-message.ts";

const text = (words: string) => ({ type: "text", text: words });

test.each([
  ["nothing", {}, undefined],
  [
    "the field of the protocol",
    { systemPrompt: { mode: "append", content: [text("Be brief."), text("Be kind.")] } },
    { words: "Be brief.\n\nBe kind.", field: "systemPrompt" },
  ],
  [
    "the key of agents that had it first",
    { _meta: { systemPrompt: { append: "Be brief." } } },
    { words: "Be brief.", field: "_meta.systemPrompt.append" },
  ],
  [
    "the key of one client",
    { _meta: { "buzz.systemPrompt": "Be brief." } },
    { words: "Be brief.", field: '_meta["buzz.systemPrompt"]' },
  ],
  [
    "all three, of which the first is read",
    {
      systemPrompt: { mode: "append", content: [text("one")] },
      _meta: { systemPrompt: { append: "two" }, "buzz.systemPrompt": "three" },
    },
    { words: "one", field: "systemPrompt" },
  ],
  [
    "the last two, of which the first is read",
    { systemPrompt: null, _meta: { systemPrompt: { append: "two" }, "buzz.systemPrompt": "three" } },
    { words: "two", field: "_meta.systemPrompt.append" },
  ],
  ["a bare text, which is no form", { systemPrompt: "Be brief." }, undefined],
  ["a text that would replace the agent's own", { _meta: { systemPrompt: "Be brief." } }, undefined],
  ["blank words", { systemPrompt: { mode: "append", content: [text(" \n")] } }, undefined],
  ["no blocks", { systemPrompt: { mode: "append", content: [] } }, undefined],
  ["a _meta that is none", { _meta: 7 }, undefined],
  ["a _meta of other people's", { _meta: { systemPrompt: [], "buzz.systemPrompt": { a: 1 } } }, undefined],
  ["what only an object's ancestors have", { _meta: Object.create({ "buzz.systemPrompt": "x" }) }, undefined],
] as const)("of %s a client's system prompt is read", (_what, params, prompt) => {
  expect(clientPromptOf(params)).toEqual(prompt);
});

test.each([
  [
    "another mode",
    { mode: "override", content: [text("x")] },
    "The systemPrompt has the mode “override”, and only “append” is offered.",
  ],
  ["no mode", { content: [text("x")] }, "The systemPrompt has the mode nothing, and only “append” is offered."],
  [
    "an image",
    { mode: "append", content: [text("x"), { type: "image", data: "", mimeType: "image/png" }] },
    "A block of the systemPrompt is of the type “image”, and only text is read.",
  ],
  [
    "a text without words",
    { mode: "append", content: [{ type: "text" }] },
    "A block of the systemPrompt is of the type “text”, and only text is read.",
  ],
] as const)("%s in a systemPrompt is refused", (_what, systemPrompt, message) => {
  expect(() => clientPromptOf({ systemPrompt })).toThrow(
    expect.objectContaining({ code: "bad-client-message", message }),
  );
});

test("a bare text is taken out of requests that open a session, and of no others", () => {
  const request = (method: string, systemPrompt: unknown) => ({ id: 1, method, params: { cwd: "/a", systemPrompt } });
  expect(withoutBareSystemPrompt(request("session/new", "x"))).toEqual({
    id: 1,
    method: "session/new",
    params: { cwd: "/a" },
  });
  for (const kept of [request("session/new", { mode: "append" }), request("_own", "x"), { id: 1 }, null])
    expect(withoutBareSystemPrompt(kept)).toBe(kept);
});
