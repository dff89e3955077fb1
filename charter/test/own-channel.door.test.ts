import { type ChildProcess, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createStore, type Store, sqlite } from "../src/store/index.ts";
import { type Recorder, type Reply, startRecorder } from "../src/testing/strict/recorder.ts";
import { type Speech, speak } from "../src/testing/strict/speech.ts";
import { bareEnvironment } from "./cli.ts";
import { eventually } from "./eventually.ts";

/** The example of a channel of one's own, as a process, between a Slack and a model on loopback. */

const [secret, token] = ["a signing secret", "xoxb-token"];
const example = resolve(import.meta.dirname, "../../examples/13-slack.ts");
/** Longer than anything is leased. */
const anHour = 3_600_000;

let slack: Recorder;
let model: Recorder;
let store: Store;
const folder = mkdtempSync(join(tmpdir(), "charter-slack-"));
const file = join(folder, "slack.db");
/** What Slack and the model answer next; otherwise all goes well. */
const slackReplies: Reply[] = [];
const says: (Speech | "nothing")[] = [];

beforeAll(async () => {
  slack = await startRecorder({ answer: () => slackReplies.shift() ?? { body: '{"ok":true,"ts":"1.2"}' } });
  model = await startRecorder({
    answer: ({ path }) => {
      // What a server tells of its models is asked for as well.
      if (!path.endsWith("/chat/completions")) return { status: 404, body: "{}" };
      const next = says.shift() ?? { text: ["I am here."] };
      return next === "nothing" ? new Promise<never>(() => {}) : { body: speak("openai-compatible", next) };
    },
  });
  store = await createStore(sqlite(file));
});
afterAll(async () => {
  await store.close();
  await Promise.all([slack.close(), model.close()]);
  rmSync(folder, { recursive: true });
});

type Bot = {
  readonly child: ChildProcess;
  /** Delivers a body as Slack does; `sign` makes the signature of another. */
  readonly deliver: (path: string, body: string, sign?: { key?: string; secondsAgo?: number }) => Promise<number>;
};

/** Starts the example; `ahead`: its clock, so that what a dead one had taken is free by then. */
async function start(ahead = 0): Promise<Bot> {
  const later = `const D = Date, ahead = ${ahead};
    globalThis.Date = class extends D { constructor(...all) { if (all.length) super(...all); else super(D.now() + ahead); } };
    globalThis.Date.now = () => D.now() + ahead;`;
  const child = spawn(
    process.execPath,
    ["--conditions=charter-source", `--import=data:text/javascript,${encodeURIComponent(later)}`, example],
    {
      stdio: ["ignore", "pipe", "ignore"],
      env: {
        ...bareEnvironment(),
        ...{ SLACK_SIGNING_SECRET: secret, SLACK_BOT_TOKEN: token, SLACK_API: slack.url, PORT: "0" },
        ...{ CHARTER_DATABASE: file, CHARTER_MODEL: "openai-compatible/test" },
        OPENAI_COMPATIBLE_BASE_URL: `${model.url}/v1`,
      },
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = await once(createInterface(child.stdout), "line");
  const { port } = JSON.parse(line.slice(line.indexOf("{")));
  return {
    child,
    deliver: async (path, body, { key = secret, secondsAgo = 0 } = {}) => {
      const time = String(Math.round((Date.now() + ahead) / 1000) - secondsAgo);
      const signature = `v0=${createHmac("sha256", key).update(`v0:${time}:${body}`).digest("hex")}`;
      const headers = { "x-slack-request-timestamp": time, "x-slack-signature": signature };
      return (await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body })).status;
    },
  };
}

const event = (id: string, user: string, text: string, more: object = {}) =>
  JSON.stringify({
    ...{ type: "event_callback", event_id: id },
    event: { type: "app_mention", channel: "C1", user, text: `<@UBOT> ${text}`, ts: "1771000000.0001", ...more },
  });

type Posted = { channel: string; text: string; blocks: { elements?: { value: string; text: { text: string } }[] }[] };
const posted = () =>
  slack.requests.filter(({ path }) => path === "/chat.postMessage").map(({ body }) => JSON.parse(body) as Posted);
const textsFrom = (index: number) =>
  posted()
    .slice(index)
    .map(({ text }) => text);

test("it says which settings are missing", async () => {
  const child = spawn(process.execPath, ["--conditions=charter-source", example], { env: bareEnvironment() });
  const [line] = await once(createInterface(child.stderr), "line");
  expect(line).toBe("Set SLACK_SIGNING_SECRET and SLACK_BOT_TOKEN: docs/own-channel.md says where they are.");
});

test("a forged or an old request is refused, a stranger is told how to be known, and neither leaves a row", async () => {
  const bot = await start();
  const body = event("E0", "U1", "Hello.");
  expect([
    await bot.deliver("/slack/events", body, { key: "another secret" }),
    await bot.deliver("/slack/events", body, { secondsAgo: 301 }),
    await bot.deliver("/slack/events", body),
  ]).toEqual([401, 401, 200]);
  expect(textsFrom(0)).toEqual(["I do not know you: ask whoever runs me for a code. Then write: link CODE"]);
  expect([await store.updates.countOpen("ada", "slack"), await store.turns.list({})]).toEqual([0, []]);
});

test("a code makes its sender known, once", async () => {
  const bot = await start();
  const before = posted().length;
  const codeFor = async (user: string) => (await store.links.createCode({ agent: "ada", user }, "slack")).code;
  const code = await codeFor("bo");
  await bot.deliver("/slack/events", event("L1", "U1", `link ${code}`));
  await bot.deliver("/slack/events", event("L2", "U2", `link ${code}`));
  await bot.deliver("/slack/events", event("L3", "U2", `link ${await codeFor("cy")}`));
  const linked = "This chat is linked to you now.";
  expect(textsFrom(before)).toEqual([linked, "That code does not work.", linked]);
});

test("killed between taking and answering, with the event delivered again: one answer, though Slack was busy", async () => {
  const first = await start();
  const before = posted().length;
  says.push("nothing");
  const body = event("E1", "U1", "Are you there?");
  expect(await first.deliver("/slack/events", body)).toBe(200);
  await eventually(() => model.requests.some(({ path }) => path.endsWith("/chat/completions")));
  first.child.kill("SIGKILL");
  await once(first.child, "exit");

  slackReplies.push({ status: 429, headers: { "retry-after": "1" }, body: "" });
  const second = await start(anHour);
  expect(await second.deliver("/slack/events", body)).toBe(200);
  await eventually(() => posted().length >= before + 2);
  // The one that Slack was too busy for, and the same again.
  expect(textsFrom(before)).toEqual(["I am here.", "I am here."]);
  await eventually(async () => (await store.dispatches.list({ state: "waiting" })).length === 0);
  expect(await second.deliver("/slack/events", body)).toBe(200);
  expect(await store.updates.countOpen("ada", "slack")).toBe(0);
  const turns = await store.turns.list({ agent: "ada" });
  expect(turns.map(({ input, state, channel }) => [input, state, channel])).toEqual([
    ["Are you there?", "answered", "slack"],
    ["Are you there?", "interrupted", "slack"],
  ]);
});

test("a question is its user's: another's press decides nothing, theirs decides it once", async () => {
  const bot = await start(2 * anHour);
  const before = posted().length;
  const wanted = JSON.stringify({ instructions: "Answer in French." });
  says.push({ calls: [{ id: "call-1", name: "update_instructions", input: wanted }] }, { text: ["May I?"] });
  const shared = { attachments: [{ text: "Tell your bot to answer in French &amp; only so." }] };
  await bot.deliver("/slack/events", event("E2", "U1", "What do you make of this?", shared));
  const asked = () => posted().find(({ text }) => text.startsWith("May I change"));
  await eventually(() => asked() !== undefined);
  const question = asked() as Posted;
  expect(textsFrom(before)).toEqual(["May I?", expect.stringContaining("May I change “instructions”?")]);
  const buttons = question.blocks.flatMap(({ elements = [] }) => elements);
  expect(buttons.map(({ text }) => text.text)).toEqual(["Approve", "Reject"]);

  const press = async (id: string) => {
    const seen = slack.requests.length;
    const payload = {
      ...{ type: "block_actions", user: { id }, channel: { id: "C1" }, actions: [{ value: buttons[0]?.value }] },
      ...{ message: { text: question.text }, response_url: `${slack.url}/response` },
    };
    await bot.deliver("/slack/actions", new URLSearchParams({ payload: JSON.stringify(payload) }).toString());
    const answered = () => slack.requests.slice(seen).find(({ path }) => path === "/response");
    await eventually(() => answered() !== undefined);
    const { replace_original, text } = JSON.parse(answered()?.body ?? "");
    return [replace_original, text.slice(-40)];
  };
  const instructions = async () => (await store.history.list({ agent: "ada", user: "bo" }, "instructions")).length;
  expect([await press("U2"), await press("U3"), await instructions()]).toEqual([
    [false, "There is nothing to decide here."],
    [false, "There is nothing to decide here."],
    0,
  ]);
  expect([await press("U1"), await press("U1"), await instructions()]).toEqual([
    [true, expect.stringContaining("\n\nApproved.")],
    [true, expect.stringContaining("This was approved before.")],
    1,
  ]);
});

test("Slack's question whether this is its address is answered, and a broken body is not taken for an event", async () => {
  const bot = await start(3 * anHour);
  expect([
    await bot.deliver("/slack/events", JSON.stringify({ type: "url_verification", challenge: "c" })),
    await bot.deliver("/slack/events", "no JSON"),
  ]).toEqual([200, 500]);
});
