import fc from "fast-check";
import { anything } from "./generated-agent.ts";
import type { WireMessage } from "./in-process.ts";

/** Something that no one should send: what it is, and what may come of it. */
export type Mischief =
  /** A request; the answer is awaited. */
  | { readonly kind: "request"; readonly method: string; readonly params: unknown }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown }
  /** An answer to nothing that was asked. */
  | { readonly kind: "response"; readonly message: WireMessage }
  /** A line that is no message: nothing is read after it. */
  | { readonly kind: "line"; readonly bytes: Uint8Array };

/** The session that is meant where a message says so. */
export const thisSession = "{session}";

const bytes = (text: string) => Buffer.from(text);
const often = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary }, { weight: 1, arbitrary: anything });
const some = (shape: Record<string, fc.Arbitrary<unknown>>) => fc.record(shape, { requiredKeys: [] });
const session = often(fc.constantFrom(thisSession, thisSession, thisSession, "other", "__proto__"));
const text = often(fc.constantFrom("Hm.", "", "\ud800", "[System]", "x".repeat(5000)));
const content = often(some({ type: often(fc.constantFrom("text", "image", "resource")), text }));

const update = some({
  sessionUpdate: often(
    fc.constantFrom(
      "agent_message_chunk",
      "agent_message",
      "agent_thought_chunk",
      "user_message_chunk",
      "tool_call",
      "tool_call_update",
      "plan",
      "usage_update",
      "available_commands_update",
      "current_mode_update",
      "state_update",
      "__proto__",
    ),
  ),
  content: fc.oneof(content, fc.array(content, { maxLength: 2 })),
  messageId: often(fc.constantFrom("m1", "m2")),
  toolCallId: often(fc.constantFrom("t1", "t2")),
  title: text,
  kind: often(fc.constantFrom("read", "execute", "other", "constructor")),
  status: often(fc.constantFrom("pending", "completed", "failed", "toString")),
  locations: often(fc.array(some({ path: text, line: anything }), { maxLength: 2 })),
  rawInput: anything,
  cost: often(some({ amount: often(fc.constantFrom(0, 1, -1, 1e308)), currency: often(fc.constant("USD")) })),
  state: often(fc.constantFrom("running", "requires_action")),
  _meta: anything,
});

const option = some({
  optionId: often(fc.constantFrom("a", "b", "c")),
  name: text,
  kind: often(fc.constantFrom("allow_once", "allow_always", "reject_once", "reject_always")),
});
export const permissionParams = some({
  sessionId: session,
  toolCall: often(some({ toolCallId: often(fc.constant("t1")), title: text, kind: text, rawInput: anything })),
  options: often(fc.array(often(option), { maxLength: 4 })),
  title: text,
  subject: often(some({ type: often(fc.constant("tool_call")), toolCall: anything, command: text })),
  _meta: anything,
});

/** What we never offered, and what nobody knows. */
export const unknownMethods = [
  "fs/read_text_file",
  "fs/write_text_file",
  "terminal/create",
  "terminal/output",
  "terminal/kill",
  "terminal/release",
  "terminal/wait_for_exit",
  "session/prompt",
  "session/new",
  "initialize",
  "_zed.dev/anything",
  "",
  "__proto__",
  "constructor",
] as const;

const nonsense: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc
    .constantFrom(
      "Welcome!",
      "{",
      "[]",
      '[{"jsonrpc":"2.0","id":1,"method":"x"}]',
      "null",
      "0",
      '"x"',
      '{"jsonrpc":"1.0","method":"session/update"}',
      '{"method":"session/update"}',
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","method":1}',
      '{"jsonrpc":"2.0","id":{},"method":"x"}',
      '{"jsonrpc":"2.0","id":[]}',
      "[".repeat(20_000),
    )
    .map((line) => bytes(`${line}\n`)),
  fc
    .constantFrom([0xc3, 0x0a], [0xff, 0xfe, 0x0a], [0xf0, 0x9f, 0x98, 0x0a], [0x00, 0x0a])
    .map((all) => Buffer.from(all)),
);

/** Requests, notifications and answers of any shape. */
export const harmless: fc.Arbitrary<Mischief> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("notification" as const),
      method: fc.constant("session/update"),
      params: often(some({ sessionId: session, update: often(update), _meta: anything })),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("request" as const),
      method: fc.constant("session/request_permission"),
      params: often(permissionParams),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("request" as const),
      method: fc.constantFrom(...unknownMethods),
      params: often(some({ sessionId: session, path: text, command: text })),
    }),
  },
  fc.record({
    kind: fc.constant("notification" as const),
    method: fc.constantFrom(...unknownMethods, "$/cancel_request", "session/cancel", "session/update"),
    params: often(some({ sessionId: session, requestId: anything })),
  }),
  fc.record({
    kind: fc.constant("response" as const),
    message: fc.record(
      { id: fc.constantFrom<unknown>(null, -1, 1e9, "x", "initialize-9"), result: anything, error: anything },
      { requiredKeys: ["id"] },
    ),
  }),
);

export const garbage: fc.Arbitrary<Mischief> = fc.record({ kind: fc.constant("line" as const), bytes: nonsense });

/** An answer to what was asked, as wrong as it can be. */
export const wrongAnswer: fc.Arbitrary<WireMessage> = fc.oneof(
  fc.record({ result: anything }),
  fc.record({
    error: often(some({ code: often(fc.constantFrom(-32603, -32000, -32602, 1)), message: text, data: anything })),
  }),
  fc.constant({}),
  fc.record({ result: anything, error: anything }),
  fc.record({
    result: some({ sessionId: anything, stopReason: anything, usage: anything, protocolVersion: anything }),
  }),
);

/** The same message for a session. */
export function inSession(params: unknown, id: string): unknown {
  return JSON.parse(JSON.stringify(params ?? null).replaceAll(JSON.stringify(thisSession), () => JSON.stringify(id)));
}
