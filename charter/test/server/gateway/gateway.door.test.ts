import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createStore, type Store } from "../../../src/store/index.ts";
import { type Recorder, startRecorder } from "../../../src/testing/strict/recorder.ts";
import { type Speech as Answer, speak } from "../../../src/testing/strict/speech.ts";
import { bareEnvironment, command, createFolder, type Folder, quickNpx } from "../../cli.ts";
import { eventually } from "../../eventually.ts";
import { newPlace, type Place, type PlaceName } from "../../homes.ts";
import { assistant, chunksIn, type Said, user } from "./gateway-stage.ts";

let folder: Folder;
let place: Place;
let store: Store;
let provider: Recorder;
let secret: string;
let env: NodeJS.ProcessEnv;
let children: ChildProcess[];
/** What the model says to a request, whose messages are these. */
let answer: (messages: readonly Said[]) => Answer;

beforeAll(async () => {
  provider = await startRecorder({
    answer: ({ method, body }) =>
      method === "POST"
        ? { body: speak("openai-compatible", answer(JSON.parse(body).messages)) }
        : { status: 404, body: "{}" },
  });
});
beforeEach(async () => {
  children = [];
  folder = createFolder();
  await openStore("sqlite");
});
afterEach(async () => {
  for (const one of children) if (one.exitCode === null && one.signalCode === null) one.kill("SIGKILL");
  await store.close();
  await place.remove();
  folder.remove();
});
afterAll(() => provider.close());

async function openStore(name: PlaceName): Promise<void> {
  place = await newPlace(name);
  store = await createStore(place.open());
  await store.agents.add({ name: "ada", charter: "assistant", model: "openai-compatible/qwen3" });
  ({ secret } = await store.tokens.create({ name: "Bo", kind: "user", user: "bo" }));
  env = {
    ...{ ...bareEnvironment(), CHARTER_DATABASE: place.url },
    ...{ OPENAI_COMPATIBLE_BASE_URL: provider.url, OPENAI_COMPATIBLE_API_KEY: "a-test's-key" },
  };
}

async function started(): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = spawn(
    process.execPath,
    [command, "serve", "--openai", "--host", "127.0.0.1", "--json", "--quiet", "--port", "0"],
    {
      ...{ cwd: folder.path, env },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  children.push(child);
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { url: (JSON.parse(line) as { url: string }).url, child };
}

const asked = () => provider.requests.filter(({ method }) => method === "POST");
const notes = async () => (await store.memory.list({ agent: "ada", user: "bo" })).map(({ text }) => text).sort();
const repeat = { "x-stainless-retry-count": "1" };

async function say(url: string, messages: readonly Said[], more = {}, headers = {}) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${secret}`, ...headers },
    body: JSON.stringify({ model: "ada", messages, ...more }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const parted = {
  calls: [
    { id: "ours", name: "save_memory", input: '{"content":"Bo is in Rome."}' },
    { id: "theirs", name: "weather", input: '{"where":"Rome"}' },
  ],
};
const weather = { type: "function", function: { name: "weather", description: "The weather somewhere." } };

test("a process is killed while its turn waits for the client's tool: another takes the results, and nothing runs twice", async () => {
  const lines: Answer[] = [parted, { text: ["Thirty, then."] }];
  answer = () => lines.shift() ?? { text: ["Nothing more was to be asked."] };
  const before = asked().length;
  const tools = { tools: [weather] };
  const one = await started();
  const first = await say(one.url, [user("I am in Rome. The weather?")], tools);
  const { message, finish_reason } = JSON.parse(first.text).choices[0];
  expect([finish_reason, message.tool_calls.map(({ id }: { id: string }) => id)]).toEqual(["tool_calls", ["theirs"]]);
  const died = once(one.child, "exit");
  one.child.kill("SIGKILL");
  await died;

  const other = await started();
  const turn = first.headers.get("x-charter-turn") as string;
  await eventually(async () => (await store.turns.get(turn)).state !== "running");
  expect((await store.turns.get(turn)).state).toBe("interrupted");
  const lost = await say(other.url, [user("I am in Rome. The weather?")], tools, repeat);
  expect([JSON.parse(lost.text).error.code, lost.headers.get("x-charter-turn")]).toEqual(["turn-interrupted", turn]);

  const past = [
    user("I am in Rome. The weather?"),
    message,
    { role: "tool", tool_call_id: "theirs", content: "30 degrees" },
  ];
  const second = await say(other.url, past, tools);
  expect(JSON.parse(second.text).choices[0].message.content).toBe("Thirty, then.");
  expect(second.headers.get("x-charter-turn")).not.toBe(turn);
  expect(second.headers.get("x-charter-session")).toBe(first.headers.get("x-charter-session"));
  const again = await say(other.url, past, tools, repeat);
  expect(JSON.parse(again.text).id).toBe(JSON.parse(second.text).id);
  expect(asked().length - before).toBe(2);
  const told = JSON.parse(asked().at(-1)?.body as string).messages.map(({ content }: Said) => content);
  expect(told.join("\n")).toContain("> 30 degrees");
  expect(told.join("\n")).toMatch(/interrupted/);
  expect(await notes()).toEqual(["Bo is in Rome."]);
});

test("results that come to another replica are refused by name and not lost: the one that waits takes them, or its heir", async () => {
  await store.close();
  await place.remove();
  await openStore("postgres");
  const lines: Answer[] = [parted, { text: ["Thirty, then."] }, parted, { text: ["Thirty again."] }];
  answer = () => lines.shift() ?? { text: ["Nothing more was to be asked."] };
  const tools = { tools: [weather] };
  const [one, other] = await Promise.all([started(), started()]);
  const asking = async (words: string) => {
    const first = await say(one.url, [user(words)], tools);
    const { message } = JSON.parse(first.text).choices[0];
    const past = [user(words), message, { role: "tool", tool_call_id: "theirs", content: "30 degrees" }];
    return { past, turn: first.headers.get("x-charter-turn"), session: first.headers.get("x-charter-session") };
  };
  const refused = async ({ past, turn }: Awaited<ReturnType<typeof asking>>, more = {}) => {
    const { status, headers, text } = await say(other.url, past, { ...tools, ...more });
    expect([status, headers.get("x-should-retry"), JSON.parse(text).error]).toEqual([
      409,
      null,
      {
        message: `The turn “${turn}” waits for these results in another process. Send them to the process that asked for them; behind a load balancer, keep each client at one. If that process is gone, send them again in a minute.`,
        ...{ type: "invalid_request_error", param: null, code: "turn-elsewhere" },
      },
    ]);
  };
  const kept = await asking("I am in Rome. The weather?");
  await refused(kept);
  await refused(kept, { stream: true });
  const second = await say(one.url, kept.past, tools);
  expect([JSON.parse(second.text).choices[0].message.content, second.headers.get("x-charter-turn")]).toEqual([
    "Thirty, then.",
    kept.turn,
  ]);

  const left = await asking("And now?");
  await refused(left);
  const died = once(one.child, "exit");
  one.child.kill("SIGKILL");
  await died;
  const third = await say(other.url, left.past, tools);
  expect([JSON.parse(third.text).choices[0].message.content, third.headers.get("x-charter-session")]).toEqual([
    "Thirty again.",
    left.session,
  ]);
  expect((await store.turns.get(left.turn as string)).state).toBe("interrupted");
  expect(JSON.stringify(JSON.parse(asked().at(-1)?.body as string).messages)).toContain("> 30 degrees");
});

/** Posts a request whose connection breaks as soon as so many bytes of its answer's body have come; resolves with what came. */
function cut(url: string, body: object, after: number): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const pieces: Buffer[] = [];
  const sent = request(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${secret}` },
  });
  const stop = () => {
    sent.destroy();
    resolve(Buffer.concat(pieces).subarray(0, after));
  };
  sent.on("error", () => {});
  sent.on("response", (response) => {
    response.on("error", () => {});
    response.on("data", (piece: Buffer) => {
      pieces.push(piece);
      if (Buffer.concat(pieces).length >= after) stop();
    });
    response.on("end", () => resolve(Buffer.concat(pieces)));
    if (after === 0) stop();
  });
  sent.end(JSON.stringify(body));
  return promise;
}

test("a stream is cut anywhere and its request repeated: the agent's tools ran once, and the answer is the same", async () => {
  answer = (messages) => {
    const last = messages.findLastIndex(({ role, content }) => role === "user" && /note-\d+/.test(String(content)));
    const name = /note-\d+/.exec(String(messages[last]?.content))?.[0] ?? "";
    const isDone = messages.slice(last).some(({ role }) => role === "tool");
    if (isDone) return { text: [`Noted ${name}: `, "as you said."] };
    return { calls: [{ id: `call-${name}`, name: "save_memory", input: JSON.stringify({ content: name }) }] };
  };
  const { url } = await started();
  const before = asked().length;
  const bodyOf = (name: string) => ({
    ...{ model: "ada", stream: true, stream_options: { include_usage: true } },
    messages: [user(`Keep ${name}.`)],
  });
  const whole = await cut(url, bodyOf("note-100"), Number.POSITIVE_INFINITY);
  const words = (text: string) =>
    chunksIn(text)
      .map((one) => one.choices?.[0]?.delta.content ?? "")
      .join("");
  expect(words(whole.toString())).toBe("Noted note-100: as you said.");
  const cuts = Array.from({ length: 12 }, (_, index) => Math.floor((index * (whole.length - 1)) / 11));
  const names = cuts.map((_, index) => `note-${101 + index}`);
  for (const [index, after] of cuts.entries()) {
    const name = names[index] as string;
    const part = await cut(url, bodyOf(name), after);
    const { messages, ...more } = bodyOf(name);
    const other = await say(url, messages, more, repeat);
    expect([after, words(other.text)]).toEqual([after, `Noted ${name}: as you said.`]);
    // What came before the cut was no other answer's.
    const ids = [...part.toString().matchAll(/"id":"(chatcmpl-\w+)"/g)].map(([, id]) => id);
    expect(new Set([...ids, chunksIn(other.text)[0].id]).size).toBe(1);
    const late = await say(url, messages, more, repeat);
    expect(words(late.text)).toBe(words(other.text));
  }
  expect(await notes()).toEqual(["note-100", ...names]);
  expect(asked().length - before).toBe(2 * (names.length + 1));
  const turns = await store.turns.list({ agent: "ada", limit: 100 });
  expect(new Set(turns.map(({ state }) => state))).toEqual(new Set(["answered"]));
  expect(turns).toHaveLength(names.length + 1);
  const [name = ""] = names;
  const next = await say(url, [
    user(`Keep ${name}.`),
    assistant(`Noted ${name}: as you said.`),
    user("Keep note-999."),
  ]);
  expect(turns.map(({ session }) => session)).toContain(next.headers.get("x-charter-session"));
});

test.skipIf(spawnSync("curl", ["--version"]).status !== 0)("the first lines of docs/gateway.md answer", async () => {
  answer = () => ({ text: ["Hello, Bo."] });
  const { url } = await started();
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/gateway.md"), "utf8");
  const [block = ""] = page.split("```sh\n").slice(1);
  const lines = (block.split("```")[0] as string).split("\n");
  expect(lines.slice(0, 2)).toEqual([
    "npx charter serve --openai --host 127.0.0.1 &",
    "export OPENAI_BASE_URL=http://127.0.0.1:4747/v1",
  ]);
  const path = `${quickNpx()}:${process.env.PATH}`;
  const { stdout } = await promisify(execFile)("bash", ["-ec", lines.slice(2).join("\n")], {
    cwd: folder.path,
    env: { ...env, PATH: path, OPENAI_BASE_URL: `${url}/v1` },
  });
  expect(JSON.parse(stdout)).toMatchObject({
    object: "chat.completion",
    model: "ada",
    choices: [{ message: { role: "assistant", content: "Hello, Bo." }, finish_reason: "stop" }],
  });
});
