import { afterEach, beforeEach, expect, test } from "vitest";
import { type Recorder, type Reply, startRecorder } from "../../src/testing/strict/recorder.ts";
import { speak } from "../../src/testing/strict/speech.ts";
import { modelAt } from "../delivery/loopback.ts";
import { newStage, type Stage } from "./stage.ts";

let stage: Stage;
let recorder: Recorder;
let replies: Reply[];
beforeEach(async () => {
  stage = await newStage();
  replies = [];
  recorder = await startRecorder({ answer: () => replies.shift() as Reply });
});
afterEach(async () => {
  await stage.close();
  await recorder.close();
});

const found = {
  type: "web_search_result",
  ...{ url: "https://example.org", title: "A page", encrypted_content: "ZW5j", page_age: null },
};
const thinking = { type: "thinking", thinking: "I look.", signature: "c2ln" };
const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "bees" } };
const results = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [found] };

/** An answer that Anthropic interrupts while it searches the web. */
function paused(): Reply {
  const [start, ...rest] = speak("anthropic", { text: ["Let me see. "] });
  const blocks = [
    [
      { type: "thinking", thinking: "", signature: "" },
      { type: "thinking_delta", thinking: thinking.thinking },
      { type: "signature_delta", signature: thinking.signature },
    ],
    [
      { ...search, input: {} },
      { type: "input_json_delta", partial_json: JSON.stringify(search.input) },
    ],
    [results],
  ];
  const events = blocks.flatMap(([content_block, ...deltas], index) => [
    { type: "content_block_start", index: index + 1, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index: index + 1, delta })),
    { type: "content_block_stop", index: index + 1 },
  ]);
  const written = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const end = rest.slice(-2).map((event) => event.replace("end_turn", "pause_turn"));
  return { body: [String(start), ...rest.slice(0, -2), ...written, ...end] };
}

test("an answer that Anthropic interrupts goes back block for block, and goes on", async () => {
  const agent = stage.agent((await modelAt(recorder.url, "anthropic/claude-sonnet-5-5")) as never);
  replies.push(paused(), { body: speak("anthropic", { text: ["Bees hum."] }) });
  const outcome = await agent.runTurn({ input: "Bees?", user: "mia" });
  expect(outcome).toMatchObject({ state: "answered", reply: "Let me see. Bees hum.", steps: 2, notices: [] });
  const mark = { cache_control: { type: "ephemeral" } };
  const { messages } = JSON.parse(recorder.requests[1]?.body ?? "");
  expect(messages[2]).toEqual({
    role: "assistant",
    content: [{ type: "text", text: "Let me see. " }, thinking, { ...search, ...mark }, results],
  });
});
