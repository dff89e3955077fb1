import { type } from "arktype";
import * as v from "valibot";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { replayRequest, replayRequestBody } from "../../../src/agent/replay.ts";
import { assistant, exampleSoul } from "../../../src/charters/index.ts";
import { verifyStore } from "../../../src/store/verify/verify.ts";
import { type Kind, kinds } from "../../../src/testing/strict/speech.ts";
import { environmentAt } from "../../delivery/loopback.ts";
import { problemOf } from "../../store/contract/given.ts";
import { called, type Loopback, newLoopback } from "../extensions/loopback-agent.ts";
import { readBody, systemIn } from "../on-wire.ts";

const charter = assistant({ soul: exampleSoul, identity: '{"name":"Eva"}' });
const who = { user: "bo", channel: "web" };
const city = z.strictObject({ city: z.string(), people: z.int() });
const rome = { city: "Rome", people: 2_750_000 };

let loopback: Loopback;
afterEach(() => loopback?.close());

/** What a request's own field says of the answer, in each protocol. */
const fieldOf: Readonly<Record<Kind, (body: Record<string, unknown>) => unknown>> = {
  anthropic: ({ output_config }) => (output_config as { format: { schema: unknown } } | undefined)?.format.schema,
  openai: ({ text }) => (text as { format: { schema: unknown } } | undefined)?.format.schema,
  "openai-chat": ({ response_format: format }) => (format as Chat | undefined)?.json_schema.schema,
  "openai-compatible": ({ response_format: format }) => (format as Chat | undefined)?.json_schema.schema,
  google: ({ generationConfig: config }) => (config as { responseJsonSchema?: unknown }).responseJsonSchema,
};
type Chat = { readonly json_schema: { readonly schema: unknown } };

/** Every request of a turn is made again byte for byte. */
async function provedBodies(turn: string, steps: number): Promise<(string | undefined)[]> {
  const bodies: (string | undefined)[] = [];
  for (let step = 1; step <= steps; step++) {
    const replayed = await replayRequest(loopback.store, turn, step);
    const body = await replayRequestBody(replayed, environmentAt(loopback.recorder.url));
    expect(body).toMatchObject({ same: true });
    bodies.push(body?.text);
  }
  return bodies;
}

describe.each(kinds)("a typed answer of %s", (kind) => {
  test("is asked for in the request's own field, with tools between, and is a value of the schema's type", async () => {
    loopback = await newLoopback(kind);
    const agent = loopback.agent({ charter });
    loopback.play(called("c1", "read_memory", { query: "Rome" }), { text: [JSON.stringify(rome)] }, { text: ["Hi."] });
    const outcome = await agent.runTurn({ ...who, input: "The biggest city of Italy?", output: city });
    const people: number | undefined = outcome.output?.people;
    expect([outcome.state, outcome.reply, people]).toEqual(["answered", JSON.stringify(rome), 2_750_000]);
    await agent.runTurn({ ...who, input: "Thanks." });
    const bodies = loopback.bodies();
    const fields = bodies.map((body) => fieldOf[kind](JSON.parse(body)));
    const schema = expect.objectContaining({ type: "object", required: ["city", "people"] });
    expect(fields).toEqual([schema, schema, undefined]);
    expect(await provedBodies(outcome.turn, 2)).toEqual(bodies.slice(0, 2));
    expect(new Set(bodies.map((body) => systemIn(kind, body))).size).toBe(1);
    expect(new Set(bodies.map((body) => JSON.stringify(readBody(kind, body).tools))).size).toBe(1);
    expect(await verifyStore(loopback.store.home)).toMatchObject({ faults: [], orphans: 0 });
  });

  test("that is wrong is told so once, on record, and the right one counts", async () => {
    loopback = await newLoopback(kind);
    const agent = loopback.agent({ charter });
    loopback.play(
      { text: ['{"city":"Rome","people":"many"}'] },
      { text: [`\`\`\`json\n${JSON.stringify(rome)}\n\`\`\``] },
    );
    const outcome = await agent.runTurn({ ...who, input: "The biggest city of Italy?", output: city });
    expect(outcome).toMatchObject({ state: "answered", steps: 2, output: rome });
    loopback.play({ text: ["You are welcome."] });
    const next = await agent.runTurn({ ...who, input: "Thanks." });
    const bodies = loopback.bodies();
    const told = (body: string) =>
      readBody(kind, body).spoken.flatMap((one) =>
        "text" in one && one.text.includes("not what it has to be") ? [one] : [],
      );
    expect(bodies.map((body) => told(body).length)).toEqual([0, 1, 1]);
    expect(told(bodies[1] as string)).toEqual([
      expect.objectContaining({ role: "user", text: expect.stringMatching(/\n- people: .*expected (?:number|int)/) }),
    ]);
    expect(await provedBodies(outcome.turn, 2)).toEqual(bodies.slice(0, 2));
    expect(await provedBodies(next.turn, 1)).toEqual(bodies.slice(2));
  });
});

describe("an answer that is wrong twice", () => {
  test("is a failure that names the field; the reply is kept, and the session goes on as the store has it", async () => {
    loopback = await newLoopback("openai");
    const agent = loopback.agent({ charter });
    loopback.play(
      called("c1", "read_memory", { query: "Rome" }),
      { text: ["Rome, I think."] },
      { text: ['{"city":7}'] },
    );
    const outcome = await agent.runTurn({ ...who, input: "The biggest city of Italy?", output: city });
    expect(outcome).toMatchObject({ state: "failed", reply: '{"city":7}', steps: 3 });
    expect(outcome.problem).toMatchObject({
      code: "bad-output",
      message: expect.stringMatching(/^The answer is not what `output` says: city: .*; people: /),
    });
    expect("output" in outcome).toBe(false);
    expect(await loopback.store.turns.get(outcome.turn)).toMatchObject({ state: "failed", reply: '{"city":7}' });
    loopback.play({ text: ["Here."] }, { text: ["There."] });
    const here = await agent.runTurn({ ...who, input: "Go on." });
    const there = await loopback.agent({ charter, store: await loopback.another() }).runTurn({ ...who, input: "On." });
    const bodies = loopback.bodies(3);
    expect(await provedBodies(here.turn, 1)).toEqual([bodies[0]]);
    expect(await provedBodies(there.turn, 1)).toEqual([bodies[1]]);
  });
});

describe("a server that refuses formats", () => {
  const refusal = { status: 400, body: '{"error":{"message":"This response_format type is unavailable now"}}' };

  test("is asked once more with the schema in words at the end, and from then on at once", async () => {
    loopback = await newLoopback("openai-compatible");
    const agent = loopback.agent({ charter });
    const say = { text: [JSON.stringify(rome)] };
    loopback.play(refusal, called("c1", "read_memory", { query: "Rome" }), say, say);
    const first = await agent.runTurn({ ...who, input: "The biggest city of Italy?", output: city });
    const second = await agent.runTurn({ ...who, input: "Once more.", output: city });
    expect([first.output, second.output]).toEqual([rome, rome]);
    const bodies = loopback.bodies();
    const last = (body: string) => readBody("openai-compatible", body).spoken.at(-1);
    const inWords = { role: "user", text: expect.stringContaining('fits this JSON Schema:\n{"type":"object"') };
    expect(bodies.slice(1).map(last)).toEqual([inWords, inWords, inWords]);
    expect(bodies.map((body) => body.includes('"response_format"'))).toEqual([true, false, false, false]);
    expect(await provedBodies(first.turn, 2)).toEqual(bodies.slice(1, 3));
    expect(await provedBodies(second.turn, 1)).toEqual(bodies.slice(3));
    expect(await agent.store.turns.get(second.turn)).toMatchObject({ input: "Once more." });
  });

  test("a fault that is about something else is told as it is", async () => {
    loopback = await newLoopback("openai-compatible");
    loopback.play({ status: 400, body: '{"error":{"message":"temperature is too high"}}' });
    const outcome = await loopback.agent({ charter }).runTurn({ ...who, input: "Rome?", output: city });
    expect([outcome.problem?.code, loopback.bodies().length]).toEqual(["model-rejected", 1]);
  });
});

test("a model that says nothing of formats is given the schema in words", async () => {
  loopback = await newLoopback("openai");
  const { receiver } = loopback.model;
  const heard: string[] = [];
  const own: typeof loopback.model = {
    receiver,
    ask: async ({ messages, output }) => {
      const last = messages.at(-1);
      heard.push(`${output === undefined} ${last?.role === "user" ? last.text.split("\n")[0] : last?.role}`);
      const usage = { input: 1, read: 0, written: 0, output: 1 };
      return { answer: { text: JSON.stringify(rome), calls: [], finish: "stop", usage } };
    },
  };
  const outcome = await loopback.agent({ charter, model: own }).runTurn({ ...who, input: "Rome?", output: city });
  expect([outcome.output, heard]).toEqual([rome, ["true [What the final answer must be]"]]);
});

describe("a schema", () => {
  const answer = async (output: object, text = JSON.stringify(rome)) => {
    loopback.play({ text: [text] });
    return (await loopback.agent({ charter }).runTurn({ ...who, input: "Rome?", output: output as typeof city }))
      .output;
  };

  test("may be valibot's, arktype's or plain JSON Schema", async () => {
    loopback = await newLoopback("openai");
    const plain = { type: "object", properties: { city: { type: "string", pattern: "^(a+)+$" } }, required: ["city"] };
    expect(await answer(v.object({ city: v.string(), people: v.number() }))).toEqual(rome);
    expect(await answer(type({ city: "string", people: "number" }))).toEqual(rome);
    expect(await answer(plain)).toEqual(rome);
  });

  test("that is none, too long or without end is refused before anything is stored", async () => {
    loopback = await newLoopback("openai");
    const refused = (output: object) => problemOf(answer(output));
    expect(await refused({ type: "object", description: "x".repeat(17_000) })).toMatch(
      /^bad-output-schema: The `output` of a turn has 17.\d{3} bytes; the limit is 16.384\./,
    );
    expect(await refused({ $ref: "#/$defs/a", $defs: { a: { type: "string" } } })).toMatch(
      /^bad-output-schema: .*\$ref/,
    );
    expect(await refused({ type: "colour" })).toMatch(/^bad-output-schema: /);
    expect(loopback.bodies()).toEqual([]);
  });
});
