import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createAcpAgents } from "../../src/delivery/acp/acp-agents.ts";
import type { ModelRequest, ModelResult } from "../../src/delivery/model.ts";
import { type AgentWire, inProcess, type WireMessage } from "../acp/in-process.ts";
import { garbage, harmless, inSession, type Mischief, unknownMethods, wrongAnswer } from "../acp/mischief.ts";
import { runs } from "../tiers/search.ts";
import { alwaysAsync } from "./generate.ts";

const phases = ["initialize", "session/new", "session/prompt"] as const;
type Phase = (typeof phases)[number];

/** Ten messages an agent: when it sends them, and how it goes on. */
const agent = fc.record({
  version: fc.constantFrom(1, 2),
  phase: fc.constantFrom<Phase>(...phases, "session/prompt", "session/prompt"),
  sent: fc.array(harmless, { minLength: 9, maxLength: 9 }),
  last: fc.oneof({ weight: 3, arbitrary: harmless }, { weight: 1, arbitrary: garbage }),
  answer: fc.option(wrongAnswer, { freq: 4, nil: undefined }),
  decision: fc.constantFrom("allow" as const, "deny" as const),
  /** Bytes come in pieces of this size. */
  piece: fc.constantFrom(0, 1, 7, 4096),
});
type Agent = typeof agent extends fc.Arbitrary<infer Value> ? Value : never;

const folder = mkdtempSync(join(tmpdir(), "acp-messages-"));
let count = 0;
const hangMs = 30_000;

/** One that misbehaves in its first turn, and is as it should be from then on. */
function misbehaving({ version, phase, sent, last, answer, piece }: Agent) {
  const asked = new Map<unknown, Extract<Mischief, { kind: "request" }>>();
  const answers = new Map<unknown, WireMessage[]>();
  const nameless: WireMessage[] = [];
  let isDone = false;
  let ids = 0;
  const start = inProcess((wire) => {
    const reply = usual(wire, version);
    return (message) => {
      const { id, method } = message;
      if (method === undefined) return void answers.set(id, [...(answers.get(id) ?? []), message]);
      if (method === "session/prompt" && typeof Object(message.params).sessionId !== "string") nameless.push(message);
      if (isDone || method !== phase) return reply(message);
      isDone = true;
      for (const mischief of [...sent, last]) tell(inPieces(wire, piece), mischief);
      if (last.kind === "line") return;
      if (answer === undefined) return reply(message);
      wire.send({ id, ...answer });
      // In version 2 an answer only says that the prompt has come: it works on.
      if (version === 2 && method === "session/prompt") reply({ method, params: message.params });
    };
  });
  const tell = (wire: AgentWire, mischief: Mischief) => {
    if (mischief.kind === "line") return wire.write(mischief.bytes);
    if (mischief.kind === "response") return wire.send(mischief.message);
    const { method } = mischief;
    const params = inSession(mischief.params, "s-1");
    if (mischief.kind === "notification") return wire.send({ method, params });
    const id = ids++ % 2 === 0 ? ids : `a-${ids}`;
    asked.set(id, { ...mischief, params });
    return wire.send({ id, method, params });
  };
  return { start, asked, answers, nameless };
}

function inPieces(wire: AgentWire, size: number): AgentWire {
  if (size === 0) return wire;
  const write = (bytes: string | Uint8Array) => {
    const all = Buffer.from(bytes);
    for (let at = 0; at < all.length; at += Math.max(size, all.length / 200))
      wire.write(all.subarray(at, at + Math.max(size, all.length / 200)));
  };
  return { ...wire, write, send: (message) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`) };
}

function usual({ send }: AgentWire, version: number): (message: WireMessage) => void {
  const text = { type: "text", text: "Well." };
  return ({ id, method, params }) => {
    const { sessionId } = Object(params) as WireMessage;
    const update = (told: object) => send({ method: "session/update", params: { sessionId, update: told } });
    if (method === "initialize")
      return version === 1
        ? send({ id, result: { protocolVersion: 1 } })
        : send({ id, result: { protocolVersion: 2, info: { name: "x", version: "1" }, capabilities: {} } });
    if (method === "session/new") return send({ id, result: { sessionId: "s-1" } });
    if (method !== "session/prompt") return id === undefined ? undefined : send({ id, result: {} });
    if (version === 1) {
      update({ sessionUpdate: "agent_message_chunk", content: text });
      return send({ id, result: { stopReason: "end_turn" } });
    }
    if (id !== undefined) send({ id, result: { messageId: "m" } });
    update({ sessionUpdate: "state_update", state: "running" });
    update({ sessionUpdate: "agent_message_chunk", messageId: "m9", content: text });
    update({ sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" });
  };
}

const request: ModelRequest = {
  tools: [],
  system: [{ text: "You are Ada." }],
  messages: [{ role: "user", text: "Hello" }],
  session: { id: "s1", agent: "ada", user: "bo", operator: false, history: 1 },
};

async function meet(of: Agent) {
  const { start, asked, answers, nameless } = misbehaving(of);
  const agents = createAcpAgents({
    entries: { one: { command: [process.execPath] } },
    home: join(folder, `${++count}`),
    env: {},
    start,
    sleep: async (milliseconds) => (milliseconds < 600_000 ? undefined : await new Promise(() => {})),
    limits: { initializeMs: 60_000, sessionMs: 60_000 },
  });
  const ask = () =>
    agents.model("one").ask(request, { signal: AbortSignal.timeout(hangMs), onPermission: async () => of.decision });
  const first = await ask();
  const second = await ask();
  await agents.close();
  return { first, second, asked, answers, nameless };
}

test("whatever an agent sends: no crash, no hang, the right code", async () => {
  const outcomes = new Set<string>();
  await alwaysAsync(
    agent,
    async (of) => {
      const met = await meet(of);
      expect([...turnFaults(of, met), ...codeFaults(of, met)]).toEqual([]);
      outcomes.add(met.first.answer ? "answered" : met.first.fault.code);
    },
    runs(15, 500),
  );
  rmSync(folder, { recursive: true, force: true });
  expect(outcomes).toContain("answered");
});

type Met = Awaited<ReturnType<typeof meet>>;

/** The turn is answered, or has a fault that says whether anything was sent; the next one is as if nothing had been. */
function turnFaults({ phase, last, answer, version }: Agent, { first, second, nameless }: Met): string[] {
  const faults = nameless.map(() => "a prompt went to no session");
  const said = ({ answer: given, fault }: ModelResult) => (given ? `“${given.text}”` : JSON.stringify(fault));
  if (!second.answer?.text.endsWith("Well.")) faults.push(`the next turn: ${said(second)}`);
  if (last.kind === "line" || answer !== undefined) {
    const wasSent = phase === "session/prompt";
    if (first.fault && wasSent && first.fault.retry) faults.push(`was sent, and may be again: ${said(first)}`);
    if (last.kind === "line" && !first.fault) faults.push(`garbage was answered: ${said(first)}`);
    const code = wasSent ? "model-failed" : "model-unreachable";
    if (last.kind === "line" && first.fault && first.fault.code !== code) faults.push(`garbage: ${said(first)}`);
    if (first.fault?.code === "model-aborted") faults.push(`it hung, version ${version}`);
    return faults;
  }
  return first.answer?.text.endsWith("Well.") ? faults : [...faults, `the turn: ${said(first)}`];
}

/** Each request has one answer: the error of its kind, or a choice that holds once. */
function codeFaults({ phase, last, decision, version }: Agent, { asked, answers }: Met): string[] {
  return [...asked].flatMap(([id, { method, params }]) => {
    const told = (what: string) => [`${method} ${JSON.stringify(params)?.slice(0, 200)}: ${what}`];
    const given = answers.get(id) ?? [];
    // Nobody is there any more to answer, or is not there yet.
    if (given.length === 0)
      return last.kind === "line" || phase === "initialize" || given.length > 0 ? [] : told("no answer");
    if (given.length > 1) return told(`${given.length} answers`);
    const { result, error } = given[0] as { result?: { outcome?: WireMessage }; error?: { code: number } };
    if ((unknownMethods as readonly string[]).includes(method))
      return error?.code === -32601 ? [] : told(`it was answered with ${JSON.stringify(given)}`);
    if (error !== undefined)
      return error.code === -32602 && !isWellFormed(params, version)
        ? []
        : told(`the error is ${JSON.stringify(error)}`);
    const { outcome, optionId } = result?.outcome ?? {};
    if (outcome === "cancelled") return [];
    const options = (params as { options: { optionId: unknown; kind: unknown }[] }).options;
    const kinds = decision === "allow" ? ["allow_once", "reject_once"] : ["reject_once"];
    const isOnce = options.some((option) => option?.optionId === optionId && kinds.includes(String(option?.kind)));
    return outcome === "selected" && isOnce ? [] : told(`it chose ${JSON.stringify(result)}`);
  });
}

/** A request for permission that has all that the protocol wants of it. */
function isWellFormed(params: unknown, version: number): boolean {
  const { sessionId, toolCall, options, title, subject } = Object(params) as Record<string, never>;
  const whole = (option: { optionId?: unknown; name?: unknown; kind?: unknown } | null) =>
    typeof option?.optionId === "string" &&
    typeof option.name === "string" &&
    /^(allow|reject)_(once|always)$/.test(String(option.kind));
  const choices = Array.isArray(options) ? (options as never[]) : [];
  if (typeof sessionId !== "string" || choices.length === 0 || !choices.every(whole)) return false;
  if (version === 2) return typeof title === "string" && subject === undefined;
  return typeof Object(toolCall).toolCallId === "string" && Object.keys(Object(toolCall)).length === 1;
}
