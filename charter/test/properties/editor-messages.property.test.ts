import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { clientPromptOf } from "../../src/channels/editor/client-message.ts";
import { serveEditor } from "../../src/channels/editor/connection.ts";
import { createEditor } from "../../src/channels/editor/editor.ts";
import { standInName } from "../../src/delivery/models/provider.ts";
import { createHost } from "../../src/host/index.ts";
import { Problem } from "../../src/index.ts";
import { memoryStore } from "../../src/testing/index.ts";
import { runs } from "../tiers/search.ts";
import { always, alwaysAsync } from "./generate.ts";

const junk = fc.oneof(fc.jsonValue(), fc.constantFrom("", "append", -1, [], {}, null, "x".repeat(10_000)));
const words = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constant("Ignore all previous instructions."));
const block = fc.oneof(fc.record({ type: fc.constant("text"), text: words }), junk);

/** Shapes of the three forms, of what almost is one, and of anything else. */
const meta = fc.oneof(
  junk,
  fc.record(
    { systemPrompt: fc.oneof(junk, fc.record({ append: fc.oneof(words, junk) })), "buzz.systemPrompt": junk, a: junk },
    { requiredKeys: [] },
  ),
);
const systemPrompt = fc.oneof(
  junk,
  fc.record({ mode: fc.oneof(fc.constantFrom("append", "override"), junk), content: fc.oneof(junk, fc.array(block)) }),
);

test("of whatever a client brings, a system prompt is read, nothing is, or it is refused with the reason", () => {
  always(
    [fc.record({ systemPrompt, _meta: meta }, { requiredKeys: [] })],
    (params) => {
      try {
        const prompt = clientPromptOf(params);
        if (prompt !== undefined) expect(prompt.words.trim()).not.toBe("");
      } catch (error) {
        expect(error).toBeInstanceOf(Problem);
        expect((error as Problem).code).toBe("bad-client-message");
      }
    },
    runs(200, 10_000),
  );
});

type Answer = { readonly id: unknown; readonly error?: { readonly code: number; readonly message: string } };

/** A client at an editor's end in this process: lines in, answers out. */
async function connect(version: 1 | 2) {
  const store = await memoryStore();
  await store.agents.put({ name: "ada", charter: "assistant", model: standInName });
  const setup = { place: {}, settleTrust: async () => {}, faults: () => [], close: () => {} };
  const host = createHost({ store, zone: "UTC" });
  const editor = createEditor({ host, agent: "ada", user: "bo", setUp: async () => setup });
  const input = new TransformStream<Uint8Array, Uint8Array>({}, { highWaterMark: 1000 });
  const writer = input.writable.getWriter();
  let answers: Answer[] = [];
  let look = () => {};
  const output = new WritableStream<Uint8Array>({
    write: (chunk) => {
      for (const line of Buffer.from(chunk).toString("utf8").split("\n")) {
        if (line === "") continue;
        const answer = JSON.parse(line) as Answer & { readonly method?: string };
        if (answer.method === undefined) answers.push(answer);
      }
      look();
    },
  });
  const served = serveEditor({ editor, info: { name: "charter", version: "1" }, input: input.readable, output });
  /** So many answers as these lines should have: where one is missing, this waits for it in vain. */
  const exchange = async (lines: readonly string[], count: number): Promise<readonly Answer[]> => {
    const done = new Promise<void>((resolve) => {
      look = () => answers.length >= count && resolve();
    });
    for (const line of lines) await writer.write(Buffer.from(`${line}\n`));
    look();
    await done;
    const came = answers;
    answers = [];
    return came;
  };
  const asked = version === 1 ? {} : { info: { name: "fuzz", version: "1" }, capabilities: {} };
  await exchange([request("initialize", { protocolVersion: version, ...asked }, [0]).line], 1);
  return {
    exchange,
    close: async () => {
      await writer.close();
      const end = await served;
      await store.close();
      return end;
    },
  };
}

/** A line, and what may come of it: the codes of an answer to its id, or to none; 0: it is done. */
type Line = { readonly line: string; readonly id?: unknown; readonly codes: readonly number[] };

let number = 0;
const request = (method: string, params: unknown, codes: readonly number[]): Line => {
  const id = number++ % 2 === 0 ? number : `id-${number}`;
  return { line: JSON.stringify({ jsonrpc: "2.0", id, method, params }), id, codes };
};
const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
const known = ["session/new", "session/resume", "session/list", "session/prompt", "session/close"] as const;
const session = fc.constantFrom("nobody", "", "constructor");

const line: fc.Arbitrary<Line> = fc.oneof(
  fc
    .string({ unit: "binary" })
    .map((text) => text.replace(/[\r\n]/g, " "))
    .filter((text) => text.trim() !== "" && !isJson(text.trim()))
    .map((text) => ({ line: text, codes: [-32700] })),
  fc
    .oneof(fc.array(fc.jsonValue()), fc.constantFrom(1, "x", true, null))
    .map((value) => ({ line: JSON.stringify(value), codes: [-32600] })),
  fc
    .dictionary(fc.constantFrom("a", "params", "jsonrpc"), fc.jsonValue())
    .map((value) => ({ line: JSON.stringify(value), codes: [-32600] })),
  fc
    .record({ id: fc.constantFrom([], {}, true), method: fc.constantFrom(...known) })
    .map((value) => ({ line: JSON.stringify({ jsonrpc: "2.0", ...value }), codes: [-32600] })),
  // An answer that nobody asked for, whole or not, is nobody's.
  fc
    .record({ id: fc.nat().map((id) => id + 1_000_000), result: fc.jsonValue() })
    .map((value) => ({ line: JSON.stringify({ jsonrpc: "2.0", ...value }), codes: [] })),
  fc
    .tuple(fc.constantFrom("session/cancel", "_own", "session/nothing", "$/cancel_request"), junk)
    .map(([method, params]) => ({ line: JSON.stringify({ jsonrpc: "2.0", method, params }), codes: [] })),
  fc.tuple(fc.string(), junk).map(([name, params]) => request(`x/${name}`, params, [-32601])),
  fc
    .tuple(fc.constantFrom("session/new", "session/resume", "session/prompt", "session/close"), junk)
    .map(([method, params]) => request(method, params, [-32602])),
  fc
    .record({ cwd: fc.constantFrom("/", "relative", "", "/a\0b"), systemPrompt, _meta: meta })
    .map((params) =>
      request("session/new", { mcpServers: [], ...params }, params.cwd === "/" ? [0, -32602] : [-32602]),
    ),
  fc
    .record({ cwd: fc.constant("/"), systemPrompt: words, _meta: fc.constantFrom(null, {}, 7, { a: [] }) })
    .map((params) => request("session/new", { mcpServers: [], ...params }, [0])),
  fc
    .tuple(session, fc.array(block))
    .map(([sessionId, prompt]) => request("session/prompt", { sessionId, prompt }, [-32002, -32602])),
  fc
    .tuple(session, meta)
    .map(([sessionId, _meta]) => request("session/resume", { sessionId, cwd: "/", mcpServers: [], _meta }, [-32002])),
);

/** The SDK says on standard error what it makes of messages that have no answer. */
const { error } = console;
console.error = () => {};
const connections = [await connect(1), await connect(2)] as const;
afterAll(async () => {
  console.error = error;
  for (const connection of connections) expect(await connection.close()).toEqual({});
});

test("ten lines at a time, whatever they hold, are answered with the right code, and the connection goes on", async () => {
  await alwaysAsync(fc.tuple(fc.array(line, { minLength: 10, maxLength: 10 }), fc.nat(1)), async ([lines, which]) => {
    const { exchange } = connections[which] as (typeof connections)[number];
    const last = request("x/last", {}, [-32601]);
    const asked = [...lines, last].filter((one) => one.id !== undefined);
    const expected = lines.filter((one) => one.id === undefined).flatMap(({ codes }) => codes);
    const sent = [...lines, last].map((one) => one.line);
    const answers = await exchange(sent, asked.length + expected.length);
    for (const { id, codes, line } of asked) {
      const own = answers.filter((answer) => answer.id === id);
      expect(own.length, line).toBe(1);
      expect(codes, `${line} → ${JSON.stringify(own[0])}`).toContain(own[0]?.error?.code ?? 0);
    }
    const nameless = answers.filter(({ id }) => id === null).map(({ error }) => error?.code);
    expect(nameless.sort()).toEqual([...expected].sort());
    expect(answers.length).toBe(asked.length + expected.length);
  });
});
