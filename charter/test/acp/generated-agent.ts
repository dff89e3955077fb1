import fc from "fast-check";
import known from "../../src/delivery/acp/known-agents.json" with { type: "json" };
import type { IdentitySlot } from "../../src/delivery/model.ts";
import { type AgentWire, inProcess, type WireMessage } from "./in-process.ts";

/** Anything that JSON can say, with the keys that matter to us among others. */
export const anything: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, 1, -1, 1.5, "", "true", "append", "override", "1", [], {}),
    fc.string({ maxLength: 6 }),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom("systemPrompt", "session", "mode", "_meta", "buzz.systemPrompt", "name", "x", "__proto__"),
      tie("value"),
      { maxKeys: 3 },
    ),
  ),
})).value;

const often = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | unknown> =>
  fc.oneof({ weight: 5, arbitrary }, { weight: 1, arbitrary: anything });
const some = <Shape extends Record<string, fc.Arbitrary<unknown>>>(shape: Shape) =>
  fc.record(shape, { requiredKeys: [] });

const names = Object.keys(known.agents);
const name = fc.constantFrom(
  ...names,
  ...names.map((one) => one.toUpperCase()),
  ...names.map((one) => `${one} `),
  ...names.map((one) => one.replace("a", "а")),
  ...names.map((one) => one.replace("@", "")),
  "__proto__",
  "constructor",
  "toString",
  "claude",
  "",
);
const systemPrompt = fc.constantFrom<unknown>(
  {},
  {},
  { mode: { override: {} } },
  { mode: { append: {}, override: null } },
  { _meta: { x: 1 } },
  null,
  true,
  "append",
  1,
  [],
  [{}],
);
const meta = some({
  "buzz.systemPrompt": fc.constantFrom<unknown>(true, true, "true", 1, false, null, {}, [true]),
  systemPrompt: fc.constantFrom<unknown>(true, { append: true }, {}),
  "zed.dev": anything,
});
const session = some({ systemPrompt, resume: often(fc.constant({})), close: often(fc.constant({})) });

const firstVersion = some({
  agentCapabilities: often(
    some({
      sessionCapabilities: often(session),
      // Where version 2 has it, or nobody.
      session: some({ systemPrompt }),
      systemPrompt,
      loadSession: fc.boolean(),
      _meta: often(meta),
    }),
  ),
  capabilities: some({ session: some({ systemPrompt }) }),
  agentInfo: often(some({ name, version: fc.constant("1"), title: name })),
  authMethods: often(fc.constant([])),
  _meta: often(meta),
}).map((said) => ({ protocolVersion: 1, ...(said as object) }));

const secondVersion = fc
  .record({
    capabilities: often(
      some({
        session: often(some({ systemPrompt, mcp: fc.constant({ stdio: {} }) })),
        sessionCapabilities: some({ systemPrompt }),
        _meta: often(meta),
      }),
    ),
    info: fc.record({ name, version: fc.constant("1") }),
    agentInfo: some({ name }),
    agentCapabilities: some({ sessionCapabilities: some({ systemPrompt }), _meta: meta }),
    _meta: often(meta),
  })
  .map((said) => ({ protocolVersion: 2, ...said }));

/** Each hint is there, as it should be, or is not. */
const wellMade = fc
  .record({
    isFirst: fc.boolean(),
    name: fc.constantFrom(...names, "other"),
    prompt: fc.constantFrom<object>({}, { systemPrompt: {} }, { systemPrompt: { mode: { override: {} } } }),
    buzz: fc.boolean(),
  })
  .map(({ isFirst, name: called, prompt, buzz }) => {
    const _meta = { "buzz.systemPrompt": buzz };
    const info = { name: called, version: "1" };
    return isFirst
      ? { protocolVersion: 1, agentInfo: info, agentCapabilities: { sessionCapabilities: prompt, _meta } }
      : { protocolVersion: 2, info, capabilities: { session: prompt, _meta } };
  });

/** What it answers to `initialize`. */
export const initializeAnswer: fc.Arbitrary<WireMessage> = fc.oneof(wellMade, firstVersion, secondVersion);

/** The rule anew, as it is told to people: one slot, the first of four that applies. */
export function slotByTheRule(answer: WireMessage): { readonly slot: IdentitySlot; readonly canOverride: boolean } {
  const at = (...path: readonly string[]): unknown => {
    let value: unknown = answer;
    for (const key of path) {
      if (Object.prototype.toString.call(value) !== "[object Object]" || !Object.hasOwn(value as object, key))
        return undefined;
      value = (value as Record<string, unknown>)[key];
    }
    return value;
  };
  const isFirst = answer.protocolVersion === 1;
  const field = isFirst
    ? ["agentCapabilities", "sessionCapabilities", "systemPrompt"]
    : ["capabilities", "session", "systemPrompt"];
  const isObject = (value: unknown) => Object.prototype.toString.call(value) === "[object Object]";
  const canOverride = isObject(at(...field, "mode", "override"));
  if (isObject(at(...field))) return { slot: "system-prompt", canOverride };
  const called = isFirst ? at("agentInfo", "name") : at("info", "name");
  if (names.some((one) => one === called)) return { slot: "meta-append", canOverride };
  const buzz = at(isFirst ? "agentCapabilities" : "capabilities", "_meta", "buzz.systemPrompt");
  return { slot: buzz === true ? "meta-buzz" : "first-message", canOverride };
}

/** What the agent does with a prompt. */
export type Conduct =
  | "answer"
  | "max_tokens"
  | "max_turn_requests"
  | "refusal"
  | "cancelled"
  | "error"
  | "exit"
  | "garbage"
  /** It does not open the session that is asked for first. */
  | "no-session"
  /** It works until it is told to stop. */
  | "hang";

/** What an agent got in one session, from when it was opened to when it was opened anew. */
export type HeardSession = {
  readonly id: string;
  readonly method: string;
  readonly opening: WireMessage;
  readonly prompts: WireMessage[];
};

/** An agent that says of itself what it is told to, and keeps what it heard. Its sessions outlive its processes. */
export function generatedAgent(answer: WireMessage, refusesNewer: boolean) {
  const heard: HeardSession[] = [];
  const others: WireMessage[] = [];
  const next: { conduct: Conduct } = { conduct: "answer" };
  const isFirst = answer.protocolVersion === 1;
  let count = 0;
  const start = inProcess((wire) => {
    const open = new Map<string, HeardSession>();
    const hanging = new Map<string, (stop: string) => void>();
    return (message) => {
      const { id, method, params } = message as { id?: unknown; method?: string; params?: WireMessage };
      const session = String(params?.sessionId);
      const reply = (result: unknown) => wire.send({ id, result });
      if (method === "initialize") {
        if (refusesNewer && isFirst && params?.protocolVersion === 2)
          return wire.send({ id, error: { code: -32602, message: "only 1" } });
        return reply(answer);
      }
      if (method === "session/new" || method === "session/load" || method === "session/resume") {
        const opened = method === "session/new" ? `session-${++count}` : session;
        const told = { id: opened, method, opening: params as WireMessage, prompts: [] };
        if (next.conduct === "no-session") {
          next.conduct = "answer";
          others.push(params as WireMessage);
          return wire.send({ id, error: { code: -32603, message: "not now" } });
        }
        heard.push(told);
        open.set(opened, told);
        return reply(method === "session/new" ? { sessionId: opened } : {});
      }
      if (method === "session/cancel") return hanging.get(session)?.("cancelled");
      if (method === "session/close") return reply({});
      if (method !== "session/prompt") return void others.push(message);
      open.get(session)?.prompts.push(params as WireMessage);
      const conduct = next.conduct;
      next.conduct = "answer";
      const end = endOf(wire, { id, session, isFirst });
      if (conduct === "hang") return hanging.set(session, end);
      if (conduct === "exit") return wire.exit(1);
      if (conduct === "garbage") return wire.write("{nonsense\n");
      if (conduct === "error") return wire.send({ id, error: { code: -32603, message: "no quota" } });
      return end(conduct === "answer" || conduct === "no-session" ? "end_turn" : conduct);
    };
  });
  return { start, next, heard, others };
}

type Prompted = { readonly id: unknown; readonly session: string; readonly isFirst: boolean };

/** Says something, and stops. */
function endOf({ send }: AgentWire, { id, session, isFirst }: Prompted): (stop: string) => void {
  const update = (told: object) => send({ method: "session/update", params: { sessionId: session, update: told } });
  return (stopReason) => {
    const chunk = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Yes." } };
    if (isFirst) {
      update(chunk);
      return send({ id, result: { stopReason } });
    }
    send({ id, result: { messageId: "m1" } });
    update({ sessionUpdate: "state_update", state: "running" });
    update({ ...chunk, messageId: "m2" });
    update({ sessionUpdate: "state_update", state: "idle", stopReason });
  };
}
