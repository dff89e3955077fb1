import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { type TraceOptions, traceTurns } from "../../src/agent/otel.ts";
import { bareEnvironment } from "../cli.ts";
import type { Told, ToldSpan } from "./otel-spans.ts";

const run = promisify(execFile);
const program = fileURLToPath(new URL("./otel-spans.ts", import.meta.url));
const [canary, person] = ["canary-7f3a", "eva-canary"];

let told: Told;
beforeAll(async () => {
  const { stdout } = await run(process.execPath, ["--conditions=charter-source", program], {
    env: bareEnvironment(),
    maxBuffer: 2 ** 26,
  });
  told = JSON.parse(stdout);
});

test("a turn is a span, with its requests and calls inside", () => {
  const { spans, turn, session, cost } = told.amended;
  expect(spans.map(({ name }) => name)).toEqual(["chat one", "execute_tool amend", "chat one", "invoke_agent ada"]);
  const whole = spans.at(-1) as ToldSpan;
  expect(spans.slice(0, -1).map(({ parent }) => parent)).toEqual([whole.id, whole.id, whole.id]);
  expect(whole.attributes).toEqual({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "ada",
    "gen_ai.conversation.id": session,
    "gen_ai.provider.name": "test",
    "gen_ai.request.model": "one",
    "gen_ai.usage.input_tokens": 2000,
    "gen_ai.usage.output_tokens": 40,
    "charter.turn": turn,
    "charter.state": "answered",
    "charter.steps": 2,
    "charter.tainted": false,
    "charter.cost": cost,
  });
  expect(whole.events).toEqual([
    {
      name: "proposed",
      attributes: { "charter.section": "goals", "charter.verdict": "accepted", "charter.revision": 1 },
    },
  ]);
  expect(spans[2]?.attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "test",
    "gen_ai.request.model": "one",
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.usage.input_tokens": 1000,
    "gen_ai.usage.cache_read.input_tokens": 600,
    "gen_ai.usage.cache_creation.input_tokens": 100,
    "charter.step": 2,
    "charter.prefix": "updated",
    "charter.revisions": expect.arrayContaining(["goals@1"]),
    "charter.cuts": [],
  });
});

test("names are those of the conventions, or ours", () => {
  const known = new Set(told.conventions);
  const spans = [...told.amended.spans, ...told.loud, ...told.failed.spans];
  const names = spans.flatMap(({ attributes }) => Object.keys(attributes));
  expect(names.filter((name) => !name.startsWith("charter.") && !known.has(name))).toEqual([]);
  const events = spans.flatMap((span) => span.events.flatMap(({ attributes }) => Object.keys(attributes)));
  expect(events.filter((name) => !name.startsWith("charter.") && !known.has(name))).toEqual([]);
  const operations = spans.map(({ attributes }) => attributes["gen_ai.operation.name"]);
  expect(operations.filter((one) => !known.has(String(one)))).toEqual([]);
});

test("no word and no person is in a span, unless they are asked for", () => {
  const silent = JSON.stringify(told.silent);
  expect([silent.includes(canary), silent.includes(person)]).toEqual([false, false]);
  expect(told.silent.at(-1)?.attributes).toMatchObject({ "charter.tainted": true });
  const loud = JSON.stringify(told.loud);
  expect([`Say ${canary}.`, `It is ${canary}.`, person].filter((one) => !loud.includes(one))).toEqual([]);
});

test("a request that fails ends its span with the reason, and so does the turn", () => {
  const { code, spans } = told.failed;
  expect(spans.map(({ name, isError, attributes }) => [name, isError, attributes["error.type"]])).toEqual([
    ["chat one", true, code],
    ["invoke_agent ada", true, code],
  ]);
});

test("a turn's span is a child of the span that was active where it began", () => {
  expect(told.inside.spans.at(-1)).toMatchObject({ name: "invoke_agent ada", parent: told.inside.outer });
});

test("spans arrive at a receiver over OTLP, and no word or person with them", () => {
  const { names, bodies } = told.received;
  expect(names).toEqual(expect.arrayContaining(["chat one", "execute_tool look", "invoke_agent ada"]));
  expect([bodies.includes(canary), bodies.includes(person)]).toEqual([false, false]);
});

test("what it is given is checked", () => {
  expect(() => traceTurns({} as TraceOptions)).toThrow(expect.objectContaining({ code: "bad-argument" }));
});
