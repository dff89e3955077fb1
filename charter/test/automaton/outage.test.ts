import { expect, test } from "vitest";
import type { Fault } from "../../src/delivery/model.ts";
import { bytesOf, calls, type Doing, type Line } from "../agent/model.ts";
import { tool } from "../agent/stage.ts";
import { chainPost } from "../store/chain-post.ts";
import { addressA, agent, type LifeStage, lives } from "./stage.ts";

const life = lives();
const limits = { retries: 0 };

const fault = (code: Fault["code"], message: string, outage?: true): Line => ({
  fault: { code, message, retry: true, ...(outage ? { outage } : {}) },
});
const faults: Readonly<Record<string, Line>> = {
  "a refused key": fault("model-rejected", "The key is not taken (401).", true),
  "too many requests": fault("model-busy", "Too many requests (429)."),
  "a broken server": fault("model-failed", "Internal error (500)."),
  "a refused connection": fault("model-unreachable", "connect ECONNREFUSED"),
  "an empty answer": "",
  "a filter": { text: "", finish: "content-filter" },
  "a request that is refused": fault("model-rejected", "Bad request (400)."),
};
const kinds = Object.keys(faults);
const few = ["a refused connection", "an empty answer"];

/** Twelve messages, one of them paid on a chain. */
async function postTwelve({ store, post }: LifeStage): Promise<readonly string[]> {
  for (let number = 1; number < 12; number++) await post(`shop/${number}`, "Hello.", `m${number}`);
  const place = { agent, chain: 8453, contract: `0x${"c".repeat(40)}` };
  await store.chain.claim(place, { runner: "host:1", leaseMs: 60_000 });
  const start = { block: 1, anchor: { block: 0, hash: "0x00" } };
  const to = { block: 10, hash: "0x0a" };
  await store.chain.take(place, {
    ...{ runner: "host:1", before: undefined, to, head: 22, unconfirmed: 0, posts: [chainPost()], start },
  });
  const waiting = await store.inbox.list(agent);
  expect(waiting.map(({ channel }) => channel)).toContain("chain");
  return waiting.map(({ id }) => id);
}

/** Looks every thirty seconds. */
async function live({ automaton, pass }: LifeStage, minutes: number): Promise<void> {
  for (let looks = minutes * 2; looks > 0; looks--) {
    while ((await automaton.tick()) > 0);
    pass(30_000);
  }
}

for (const hour of [["a broken server"], kinds])
  test(`an hour of ${hour.length > 1 ? "all of these in turn" : hour[0]}: no message loses a try, and each of twelve is answered once after it`, async () => {
    const stage = await life("sqlite", { limits });
    const { store, model, time, message } = stage;
    const ids = await postTwelve(stage);
    const from = time.now.getTime();
    const passed = () => (time.now.getTime() - from) / 3_600_000;
    const saying: Doing = () => faults[hour[Math.floor(passed() * hour.length)] ?? "none"] ?? "Fine.";
    model.say(saying);
    await live(stage, 60);
    for (const id of ids) expect(await message(id)).toMatchObject({ status: "waiting", tries: 0 });
    // One turn was taken; after that it is asked one word, later and later, up to five minutes apart.
    expect([(await store.turns.list({ agent })).length, model.requests.length]).toEqual([1, 17]);
    expect((await store.automata.find(agent))?.away).toEqual({
      ...{ since: new Date(from).toISOString(), turn: null },
      because: expect.stringMatching(/^model-(rejected|failed): “test\/one” gave no answer: .*\([45]00\)\.$/),
    });
    await live(stage, 5);
    for (const id of ids) expect(await message(id)).toMatchObject({ status: "answered", tries: 1 });
    const replies = await store.inbox.listReplies(agent);
    expect(replies.map((reply) => reply.message).toSorted()).toEqual(ids.toSorted());
    expect((await store.automata.find(agent))?.away).toBe(null);
  });

/** What the model makes of a message that breaks it, and of all else. */
const breaks =
  (kind: string): Doing =>
  (request) =>
    bytesOf(request).includes("BREAK") ? (faults[kind] as Line) : "Fine.";

for (const kind of few)
  test(`a message that always ends in ${kind} is dead after three tries that count, and others are answered meanwhile`, async () => {
    const stage = await life("sqlite", { limits });
    const { store, model, post, message } = stage;
    model.say(breaks(kind));
    await post(addressA, "BREAK", "m0");
    for (const id of ["m1", "m2", "m3"]) await post(`shop/${id}`, "Hello.", id);
    await live(stage, 2);
    const { status, tries, failures } = await message("m0");
    expect([status, tries, failures.length]).toEqual(["dead", 3, 3]);
    expect(new Set(failures.map(({ turn }) => turn)).size).toBe(3);
    expect((await store.inbox.listReplies(agent)).map((reply) => reply.message).toSorted()).toEqual(["m1", "m2", "m3"]);
    expect((await store.automata.find(agent))?.away).toBe(null);
  });

for (const kind of few)
  test(`a lone message that always ends in ${kind} is dead too: the model is asked one word in between`, async () => {
    const stage = await life("sqlite", { limits });
    const { store, model, post, time, message } = stage;
    model.say(breaks(kind));
    await post(addressA, "BREAK", "m0");
    await live(stage, 2);
    expect(await message("m0")).toMatchObject({ status: "dead", tries: 3 });
    const words = model.requests.filter((request) => request.tools.length === 0);
    // An empty answer is continued once in each turn.
    const answers = kind === "an empty answer" ? 6 : 0;
    expect([model.requests.length, words.length]).toEqual([3 + (answers || 3), 3]);
    // Each word is paid for, as the provider counts it.
    const { micros } = (await store.spending.of({ agent, day: time.now.toISOString().slice(0, 10) })).agent;
    expect(micros).toBe((3 + answers) * 1755);
  });

test("whoever takes charge next knows that the model was away, and asks it one word before anything else", async () => {
  const stage = await life("sqlite", { limits });
  const { automaton, store, model, post, pass, message, process } = stage;
  model.say(breaks("a broken server"));
  await post(addressA, "BREAK", "m0");
  await automaton.tick();
  const { turn, failures } = await message("m0");
  expect(failures[0]?.because).toBe("model-failed: “test/one” gave no answer: Internal error (500).");
  expect((await store.automata.find(agent))?.away).toMatchObject({ because: "model-failed", turn });
  await automaton.stop(0);
  pass(60_000);
  await (await process()).tick();
  expect(model.requests.map(({ tools }) => tools.length > 0)).toEqual([true, false, true]);
  expect(await message("m0")).toMatchObject({ status: "waiting", tries: 1 });
});

test("what a try did in an outage is told to the next one, also if it failed for the same reason as one before", async () => {
  const stage = await life("sqlite", { limits, tools: [tool("pay", () => "Paid, receipt 77.")] });
  const { model, post, message, input } = stage;
  const broken = faults["a broken server"] as Line;
  model.say(broken, "OK", calls(["pay", { to: "bo" }]), broken, broken, "OK", "Done.");
  await post(addressA, "Pay bo.", "m0");
  await live(stage, 2);
  expect(input()).toContain('- pay "{\\"to\\":\\"bo\\"}": "Paid, receipt 77."');
  expect(await message("m0")).toMatchObject({ status: "answered", tries: 2, failures: { length: 2 } });
});

test("while it may not be paid, a model that is away is not asked, and the message that waits keeps its tries", async () => {
  const stage = await life("sqlite", { limits: { ...limits, agentDollarsPerDay: 0.000001 } });
  const { store, model, post, message } = stage;
  await store.inbox.markAway(agent, { because: "model-failed: It was away." });
  model.say("Fine.");
  await post(addressA, "Hello.", "m0");
  await live(stage, 1);
  expect(model.requests).toEqual([]);
  expect(await message("m0")).toMatchObject({ status: "waiting", tries: 0 });
});
