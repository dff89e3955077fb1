import fc from "fast-check";
import { expect, test } from "vitest";
import { readInitialize } from "./peer.ts";

const first = (agentCapabilities: unknown, more: object = {}) =>
  readInitialize({ protocolVersion: 1, agentCapabilities, ...more });
const second = (capabilities: unknown, more: object = {}) =>
  readInitialize({ protocolVersion: 2, capabilities, ...more });

test("what an agent says of itself, in both versions", () => {
  const session = { systemPrompt: { mode: { override: {} } }, resume: {}, close: {}, mcp: { stdio: {} } };
  const authMethods = [{ id: "key", name: "A key" }, { id: 7 }, null];
  expect(first({ loadSession: true, sessionCapabilities: session }, { agentInfo: { name: "a" }, authMethods })).toEqual(
    {
      version: 1,
      name: "a",
      slot: "system-prompt",
      override: true,
      reopen: "resume",
      closes: true,
      startsServers: true,
      signIns: ["key"],
    },
  );
  expect(second({ session }, { info: { name: "b" } })).toEqual({
    version: 2,
    name: "b",
    slot: "system-prompt",
    override: true,
    reopen: "resume",
    closes: true,
    startsServers: true,
    signIns: [],
  });
});

test("an agent that says nothing can do nothing", () => {
  const nothing = { name: null, slot: "first-message", override: false, signIns: [] };
  expect(readInitialize({ protocolVersion: 1 })).toEqual({
    ...nothing,
    version: 1,
    reopen: null,
    closes: false,
    startsServers: true,
  });
  expect(readInitialize({ protocolVersion: 2 })).toEqual({
    ...nothing,
    version: 2,
    reopen: "resume",
    closes: true,
    startsServers: false,
  });
  expect([0, 3, "1", null, undefined].map((protocolVersion) => readInitialize({ protocolVersion }))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

const known = { agentInfo: { name: "@zed-industries/claude-code-acp" } };
const buzz = { _meta: { "buzz.systemPrompt": true } };
const slots: readonly (readonly [what: string, slot: string, said: ReturnType<typeof readInitialize>])[] = [
  ["the field, before all else", "system-prompt", first({ ...buzz, sessionCapabilities: { systemPrompt: {} } }, known)],
  ["a known name, before the other field", "meta-append", first(buzz, known)],
  ["the other field", "meta-buzz", first(buzz)],
  ["the other field, in version 2", "meta-buzz", second(buzz)],
  ["a name that is only like a known one", "first-message", first({}, { agentInfo: { name: "claude-code-acp" } })],
  ["a name that every object has", "first-message", first({}, { agentInfo: { name: "toString" } })],
  ["a title", "first-message", first({}, { agentInfo: { title: "@zed-industries/claude-code-acp" } })],
  ["a field that is null", "first-message", first({ sessionCapabilities: { systemPrompt: null } })],
  ["a field that is a list", "first-message", first({ sessionCapabilities: { systemPrompt: [] } })],
  ["a field that is true", "first-message", first({ sessionCapabilities: { systemPrompt: true } })],
  ["the other field, but not true", "first-message", first({ _meta: { "buzz.systemPrompt": "true" } })],
  ["the other field, in another place", "first-message", first({}, buzz)],
  ["what the other version says", "first-message", first({ session: { systemPrompt: {} } })],
  ["what the other version says", "first-message", second({ sessionCapabilities: { systemPrompt: {} } })],
  ["version 2 alone", "first-message", second({ session: {} })],
];

test.each(slots)("the slot by what was advertised: %s: %s", (_what, slot, said) => {
  expect(said?.slot).toBe(slot);
});

test("whatever is said, there is one slot or none", () => {
  const keys = ["agentCapabilities", "capabilities", "session", "sessionCapabilities", "systemPrompt", "mode", "_meta"];
  const shape = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.anything({ withNullPrototype: true, withObjectString: true }),
      fc.dictionary(fc.constantFrom(...keys, "buzz.systemPrompt", "agentInfo", "name", "__proto__"), tie("any")),
    ),
  })).any;
  fc.assert(
    fc.property(shape, fc.constantFrom(1, 2), (said, protocolVersion) => {
      const read = readInitialize({ ...Object(said), protocolVersion });
      expect(["system-prompt", "meta-append", "meta-buzz", "first-message"]).toContain(read?.slot);
      readInitialize(said);
    }),
    { numRuns: 50 },
  );
});
