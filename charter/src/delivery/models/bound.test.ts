import { expect, test } from "vitest";
import { droppedIn } from "./answer.ts";
import { faultOf } from "./fault.ts";

const refused = (message: string) => ({
  message,
  statusCode: 400,
  responseBody: JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } }),
});
const bound =
  'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';
const rows: [what: string, message: string, isBound: boolean][] = [
  ["reasoning after other messages", bound, true],
  [
    "the same, with what differs",
    `${bound} Content before this block differs from when it was created, first at \`messages.0.content.0\`.`,
    true,
  ],
  [
    "the same, without the header",
    `${bound} That setting requires the \`thinking-binding-controls-2026-08-01\` value in the \`anthropic-beta\` header.`,
    true,
  ],
  ["a signature that was changed", "messages.1.content.0: Invalid `signature` in `thinking` block", false],
  ["no model of this name", "model: claude-7 not found", false],
];
for (const [what, message, isBound] of rows)
  test(`Anthropic refuses ${what}: ${isBound ? "its reasoning is bound" : "another fault"}`, () => {
    const { code, retry, bound } = faultOf(refused(message), "anthropic/claude-sonnet-5-5", []);
    expect({ code, retry, bound }).toEqual({ code: "model-rejected", retry: false, bound: isBound ? true : undefined });
  });

test("a report of what was left out keeps the entries that are known", () => {
  const known = [
    { type: "thinking_dropped", path: "messages.1.content.0", reason: "model_binding_mismatch" },
    { type: "thinking_mismatch_allowed", path: "messages.3.content.0", reason: "prefix_binding_mismatch" },
  ];
  expect(droppedIn([...known, { type: "image_shrunk", path: "messages.0.content.0" }, null])).toEqual({
    dropped: known,
  });
  expect([undefined, null, [], [{ type: "image_shrunk" }]].map(droppedIn)).toEqual([{}, {}, {}, {}]);
});
