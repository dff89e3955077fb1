import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { settings } from "../../src/server/config.ts";
import { createStore, type Store, sqlite } from "../../src/store/index.ts";
import { bareEnvironment, charterMeanwhile, command, createFolder, type Folder } from "../cli.ts";
import { type ContextServer, startContextServer } from "../delivery/context-servers.ts";
import { connectEditor, startProcess } from "../editor/editor-process.ts";
import { eventually } from "../eventually.ts";
import { listed } from "../mcp/stage.ts";
import { askAt } from "../service/opened.ts";

/**
 * One `charter.config.mjs`, and a turn by each way there is to run one. What a setting does is looked for where it shows:
 * in what the model was sent, in the records of the turn, or in why there was none.
 */

const program = join(import.meta.dirname, "../mcp/program.ts");
const locked = join(import.meta.dirname, "../../../charter.lock");
const schema = (refused: boolean) =>
  `{ "~standard": { version: 1, vendor: "test", validate: () => (${refused ? '{ issues: [{ message: "no team" }] }' : "{ value: { team: 'boats' } }"}) } }`;

let model: ContextServer;
let [folder, home, server]: [Folder, Folder, Folder] = [] as never;
let store: Store;
let env: Record<string, string>;

beforeAll(async () => {
  model = await startContextServer({
    ...{ provider: "vllm", window: 64_000, silent: true },
    // It never stops calling: a limit does.
    say: ({ index, recorded }) =>
      JSON.parse(recorded.body).messages.at(-1).role === "tool"
        ? { calls: [{ id: `call-${index}`, name: "ping", input: "{}" }] }
        : { calls: [{ id: `call-${index}`, name: "read_memory", input: '{"query":"boats"}' }] },
  });
  server = createFolder({ "tools.json": JSON.stringify([listed("read", "Reads a file.")]), notes: "" });
  [folder, home] = [createFolder({ "own.lock": readFileSync(locked, "utf8"), seen: "" }), createFolder()];
  env = { HOME: home.path, NO_COLOR: "1", ...model.env, CHARTER_HOME: join(home.path, ".charter") };
  await write("");
  const setup = { original: { soul: "You are Ada." }, mcp: ["odd"] };
  const added = await run(
    ["agents", "add", "ada", "-c", "assistant", "--settings", "-", "-d", "data/own.db"],
    JSON.stringify(setup),
  );
  expect(added).toMatchObject({ code: 0 });
  store = await createStore(sqlite(join(folder.path, "data/own.db")));
  await store.memory.save({ agent: "ada", user: "olga" }, { text: "Boats leave at noon." });
});
afterAll(async () => {
  await store?.close();
  await model.close();
  for (const one of [folder, home, server]) one.remove();
});

/** The configuration with all that hold for turns, and one of them changed. */
async function write(changed: string): Promise<void> {
  const words = [process.execPath, program, join(server.path, "tools.json"), join(server.path, "notes")];
  folder.write(
    "charter.config.mjs",
    `import { appendFileSync } from "node:fs";
const command = ${JSON.stringify(words.map((path) => path.split("/")))}.map((parts) => parts.join("/"));
const input = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
const ping = { name: "ping", input, schema: { type: "object" }, summary: "Pings.", run: () => "pong" };
const said = Object.fromEntries(["web", "scheduled", "terminal", "editor"].map((name) => [name, "Speak of boats."]));
export default {
  database: "data/own.db", data: ["./data", "./seen"], model: "local", window: 60000, zone: "Asia/Tokyo", operator: "olga",
  models: { local: { base: ${JSON.stringify(model.url)}, model: "own-1", price: { input: 3, output: 15 } } },
  limits: { steps: 2 }, tools: [ping], channels: said, mcp: { odd: { command } }, lock: "own.lock",
  memory: { embed: "openai-compatible/near" }, context: ${schema(false)}, keepContext: true,
  on: (event, { user }) => event.kind === "turn-end" && appendFileSync("seen", event.turn + " " + user + "\\n"), ${changed}
};
`,
  );
  expect((await run(["trust"])).code).toBe(0);
}

const run = (args: readonly string[], stdin = "") => charterMeanwhile(args, { cwd: folder.path, env, stdin });

/** Every way to run a turn; gives what was said about it. */
const doors: Readonly<Record<string, () => Promise<string>>> = {
  start: () => asked(["start", "--no-open", "--port", "0", "--json"]),
  serve: () => asked(["serve", "--host", "127.0.0.1", "--port", "0", "--json"]),
  work: scheduled,
  chat: async () => {
    const { stdout, stderr } = await run(["chat", "--agent", "ada", "--json", "When is my boat?"]);
    return stdout + stderr;
  },
  acp: inEditor,
};

async function started(args: readonly string[]) {
  const child = spawn(process.execPath, [command, ...args], {
    ...{ cwd: folder.path, env: { ...bareEnvironment(), ...env } },
  });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  return { child, said: () => said };
}

async function ended(child: ChildProcess): Promise<void> {
  child.kill("SIGTERM");
  if (child.exitCode === null && child.signalCode === null) await once(child, "close");
}

async function asked(args: readonly string[]): Promise<string> {
  const { child, said } = await started(args);
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout as never }).on(
      "line",
      (line) =>
        line.startsWith("{") && (JSON.parse(line).url ? resolve(JSON.parse(line).url) : reject(new Error(line))),
    );
    child.once("close", () => reject(new Error(said())));
  });
  const { secret } = await store.tokens.create({ name: "Olga", kind: "operator" });
  const { text } = await askAt(url, secret)("POST /api/agents/ada/turns", {
    input: "When is my boat?",
    context: { team: "x" },
  });
  await ended(child);
  return text;
}

async function scheduled(): Promise<string> {
  const scope = { agent: "ada", user: "olga" };
  const nextAt = new Date().toISOString();
  const { id } = await store.schedules.add({ scope, title: "Boats", input: "When is my boat?", nextAt, maxTries: 1 });
  const { child, said } = await started(["work"]);
  try {
    const find = async () => (await store.runs.list({ ...scope, schedule: id }))[0];
    await eventually(async () => typeof (await find())?.endedAt === "string");
    return JSON.stringify(await find()) + said();
  } finally {
    await ended(child);
  }
}

async function inEditor(): Promise<string> {
  const peer = startProcess([command, "acp", "--agent", "ada"], folder.path, { ...bareEnvironment(), ...env });
  const editor = connectEditor(peer);
  await editor.initialize();
  const answer = await editor
    .open(folder.path)
    .then((session) => editor.prompt(session, "When is my boat?"))
    .catch((error) => error);
  await peer.leave();
  return JSON.stringify([answer, String(answer), editor.seen.updates]) + peer.errors();
}

const shown = new Set(["charters", "data", "keys", "sources"]);

for (const [door, turn] of Object.entries(doors))
  test(`charter ${door}: what is set holds for the turn it runs`, async () => {
    await write("");
    const [before, turns] = [model.requests.length, (await store.turns.list({ agent: "ada" })).length];
    const said = await turn();
    const sent = model.requests.slice(before);
    const answers = sent.filter(({ path }) => path.endsWith("/chat/completions"));
    const [first = { model: "", tools: [], messages: [] }] = answers.map(({ body }) => JSON.parse(body));
    const words = JSON.stringify(first.messages);
    const names = first.tools.map((one: { function: { name: string } }) => one.function.name);
    const list = await store.turns.list({ agent: "ada" });
    const [latest] = list;
    const holds = {
      database: list.length - turns === 1,
      model: first.model === "own-1",
      models: answers.length > 0,
      limits: answers.length === 2,
      tools: names.includes("ping"),
      mcp: names.includes("odd_read"),
      channels: words.includes("Speak of boats."),
      zone: words.includes("Asia/Tokyo"),
      operator: latest?.scope.user === "olga",
      // Only HTTP brings one.
      keepContext: door.startsWith("s") === ((await store.turns.contextOf(latest?.id ?? "")) !== undefined),
      on: folder.read("seen").includes(`${latest?.id} olga\n`),
      memory: sent.some(({ path }) => path.endsWith("/embeddings")),
    };
    for (const name of Object.keys(holds)) shown.add(name);
    expect(holds, said).toEqual(Object.fromEntries(Object.keys(holds).map((name) => [name, true])));
  });

/** What no turn can be run with; where it holds, that is said. */
const refusing = {
  lock: ['lock: "none.lock"', "There is no lock file at none.lock."],
  context: [`context: ${schema(true)}`, "agent's schema"],
  window: ["window: 1000", "takes 1,000"],
  acp: ['acp: { peer: { command: ["/no/such/peer"], served: true } }, model: "acp/peer"', "/no/such/peer"],
} as const;

for (const [setting, [changed, reason]] of Object.entries(refusing))
  test(`${setting}: a turn that it refuses is refused by every way to run one`, async () => {
    shown.add(setting);
    await write(changed);
    const before = model.asked.length;
    const ways = Object.entries(doors).filter(([door]) => setting !== "context" || door.startsWith("s"));
    const said = await Promise.all(ways.map(async ([door, turn]) => [door, await turn()] as const));
    expect(said.filter(([, words]) => !words.includes(reason))).toEqual([]);
    if (setting !== "window") expect(model.asked.length).toBe(before);
  });

test("every setting that holds for turns is shown here; charters in own-agents, keys in core-memory/keys, data in trust-once, sources in described-source", () => {
  const forTurns = Object.entries(settings).filter(([, { holds }]) => holds === "turns");
  expect([...shown].sort()).toEqual(forTurns.map(([name]) => name).sort());
});
