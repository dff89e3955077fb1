import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bareEnvironment, charterMeanwhile, createFolder, type Folder } from "../cli.ts";
import { asOperator, type StartedDemo, startDemo } from "../demo/start-demo.ts";

const record = new URL("../demo/record.mjs", import.meta.url).href;

/** Whoever connects here was led by a setting that a demo must not read. */
let connections = 0;
const trap = createServer((socket) => {
  connections += 1;
  socket.destroy();
});
let folder: Folder;
let started: StartedDemo;
let ask: Awaited<ReturnType<typeof asOperator>>;
let env: Record<string, string>;
let before: Record<string, string>;

const isDemos = (name: string) => /^(?:\.charter\/demo\.(?:db|json)|\.charter\/\.gitignore$)/.test(name);
/** Everything in the directory that is not the demo's, by its digest. */
const othersIn = ({ path, names }: Folder) =>
  Object.fromEntries(
    names()
      .filter((name) => !isDemos(name) && name !== "record")
      .map((name) => [
        name,
        createHash("sha256")
          .update(readFileSync(join(path, name)))
          .digest("hex"),
      ]),
  );
const recorded = () => folder.read("record").split("\n").filter(Boolean);

beforeAll(async () => {
  await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
  const at = `127.0.0.1:${(trap.address() as AddressInfo).port}`;
  const ran = 'import { writeFileSync } from "node:fs";\nwriteFileSync("run", "");\n';
  folder = createFolder({
    "charter.config.ts": `${ran}export default { host: "0.0.0.0", telegram: { token: "1:a", api: "http://${at}" } };\n`,
    "charter.lock": "{}",
    "evil.ts": `${ran}export default { name: "evil", layers: [{ name: "l", mutability: "fixed", sections: [{ name: "s", words: "x" }] }] };\n`,
    "models.json": JSON.stringify({ mine: { base: `http://${at}/v1`, model: "mine" } }),
    ".env": `CHARTER_MODEL=mine\nOPENAI_API_KEY=sk-of-the-file\nCHARTER_DATABASE=postgres://a:b@${at}/c\n`,
    "AGENTS.md": "A word of this directory: quince.",
  });
  folder.charter(["agents", "add", "mine", "--charter", "assistant", "--database", ".charter/charter.db"]);
  before = othersIn(folder);
  env = {
    ...{ OPENAI_API_KEY: "sk-a", OPENAI_BASE_URL: `http://${at}/v1`, ANTHROPIC_API_KEY: "sk-b" },
    ...{ ANTHROPIC_BASE_URL: `http://${at}`, GOOGLE_GENERATIVE_AI_API_KEY: "sk-c", OPENROUTER_API_KEY: "sk-d" },
    ...{ TELEGRAM_BOT_TOKEN: "1:a", TELEGRAM_SECRET: "s".repeat(32), TELEGRAM_API: `http://${at}` },
    ...{ DATABASE_URL: `postgres://a:b@${at}/c`, CHARTER_DATABASE: `postgres://a:b@${at}/c`, PGHOST: at },
    ...{ CHARTER_HOST: "0.0.0.0", CHARTER_PORT: "1", CHARTER_URL: `https://${at}`, CHARTER_MODEL: "openai/gpt-5" },
    ...{ CHARTER_JWT_SECRET: "j".repeat(32), CHARTER_ZONE: "Asia/Kolkata", CHARTER_NSEC: `nsec1${"q".repeat(58)}` },
    ...{ HTTP_PROXY: `http://${at}`, HTTPS_PROXY: `http://${at}`, NODE_USE_ENV_PROXY: "1" },
    ...{ NODE_OPTIONS: `--import ${record}`, CHARTER_TEST_RECORD: join(folder.path, "record") },
  };
  started = await startDemo({ cwd: folder.path, env });
  ask = await asOperator(started);
});
afterAll(async () => {
  await started.stop();
  trap.close();
  folder.remove();
});

const userOf = ({ scope }: Record<string, unknown>) => (scope as { user?: string }).user;
const say = (input: string) => ask("POST", "/agents/ada/turns", { input, user: "olga" });

test("it starts on loopback, with its own database, agents of all five charters and the stand-in", async () => {
  expect(started).toMatchObject({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    database: expect.stringMatching(/\/\.charter\/demo\.db$/),
    agents: ["ada", "art", "cody", "rex", "sol"],
    model: "stand-in/large",
    telegram: {},
  });
  const { answer } = await ask("GET", "/agents");
  const charters = (answer as { agents: { charter: string }[] }).agents.map(({ charter }) => charter);
  expect(charters.toSorted()).toEqual(["artifact", "assistant", "coder", "resident", "sovereign"]);
});

test("it was lived in: users, approvals, messages, schedules with runs, costs, refusals and failed turns", async () => {
  const list = async (path: string, name: string) =>
    ((await ask("GET", path)).answer as Record<string, Record<string, unknown>[]>)[name] ?? [];
  const turns = await list("/agents/ada/turns?limit=200", "turns");
  expect(new Set(turns.map(userOf))).toEqual(new Set(["olga", "ben", "chloe", "dev"]));
  expect(new Set(turns.map(({ channel }) => channel))).toEqual(new Set(["web", "telegram", "scheduled"]));
  expect(turns.filter(({ state }) => state === "failed").length).toBeGreaterThan(1);
  const days = new Set(turns.map(({ startedAt }) => String(startedAt).slice(0, 10)));
  expect(days.size).toBeGreaterThanOrEqual(8);
  expect(turns.every(({ startedAt }) => Date.parse(String(startedAt)) <= Date.now())).toBe(true);
  expect((await list("/approvals?agent=ada", "proposals")).map(userOf).toSorted()).toEqual(["ben", "dev"]);
  expect((await list("/approvals?agent=ada", "calls")).map(({ tool }) => tool)).toEqual(["send_mail"]);
  expect(await list("/approvals?agent=sol", "proposals")).toHaveLength(1);
  const messages = (status: string) => list(`/agents/sol/inbox?status=${status}`, "messages");
  expect(await Promise.all(["waiting", "answered", "dead"].map(async (one) => (await messages(one)).length))).toEqual([
    ...[1, 5, 1],
  ]);
  expect((await list("/agents/ada/schedules", "schedules")).length).toBeGreaterThanOrEqual(4);
});

test("what it tells to say makes an approval and a refusal happen", async () => {
  const [amended, refused, held, call] = started.demo.tries;
  expect(started.demo.tries.map(({ result }) => result.split(/[: ]/)[0])).toEqual([
    "Accepted",
    "Refused",
    "Waits",
    "Waits",
  ]);
  expect((await say(amended?.say ?? "")).answer).toMatchObject({ reply: expect.stringContaining("Done:") });
  expect((await say(refused?.say ?? "")).answer).toMatchObject({ reply: expect.stringContaining("was refused") });
  await say(held?.say ?? "");
  await say(call?.say ?? "");
  const { answer } = await ask("GET", "/approvals?agent=ada");
  const { proposals, calls } = answer as Record<"proposals" | "calls", Record<string, unknown>[]>;
  const [own] = proposals.filter((one) => userOf(one) === "olga");
  expect((await ask("POST", `/approvals/${own?.id}/approve`, {})).status).toBe(200);
  expect(calls.filter((one) => userOf(one) === "olga")).toHaveLength(2);
});

test("no model, file or relay can be brought in from its pages", async () => {
  const code = ({ answer }: { answer: unknown }) => (answer as { error: { code: string } }).error.code;
  await ask("PATCH", "/agents/art", { model: "openai/gpt-5" });
  expect(code(await ask("POST", "/agents/art/turns", { input: "Hello", user: "olga" }))).toBe("not-in-demo");
  await ask("PATCH", "/agents/art", { model: "ollama/llama" });
  expect(code(await ask("POST", "/agents/art/turns", { input: "Hello", user: "olga" }))).toBe("not-in-demo");
  await ask("POST", "/agents", { name: "evil", charter: join(folder.path, "evil.ts") });
  await ask("POST", "/agents/evil/turns", { input: "Hello", user: "olga" });
  const memory = { relays: ["wss://relay.example.com"], owner: "0".repeat(64), key: "rex" };
  await ask("PATCH", "/agents/rex", { settings: { memory } });
  await ask("GET", "/agents/rex/prompt?user=olga");
  await ask("POST", "/agents", { name: "coder", charter: "coder" });
  expect(JSON.stringify((await ask("GET", "/agents/coder/prompt")).answer)).not.toContain("quince");
});

test("what is recorded of a process is what it does", async () => {
  const file = join(folder.path, "control");
  const lines = ["one", "two"].map((name) => `fetch("http://${name}.invalid/").catch(() => {})`);
  const child = spawn(
    process.execPath,
    ["--import", record, "-e", `new (require("node:sqlite").DatabaseSync)(":memory:");${lines.join(";")}`],
    {
      env: { ...bareEnvironment(), CHARTER_TEST_RECORD: file },
    },
  );
  await once(child, "exit");
  const kinds = new Set(
    readFileSync(file, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split(" ")[0]),
  );
  rmSync(file);
  expect(kinds).toEqual(new Set(["database", "fetch", "connect", "dns"]));
});

test("no connection leaves, nothing of the directory is run, and no other database is opened or changed", () => {
  expect(connections).toBe(0);
  const opened = recorded().filter((line) => line.startsWith("database "));
  expect(opened.length).toBeGreaterThan(0);
  expect(opened.filter((line) => !/\/\.charter\/demo\.db(?:\.\d+)?$/.test(line))).toEqual([]);
  expect(recorded().filter((line) => !line.startsWith("database "))).toEqual([]);
  expect(othersIn(folder)).toEqual(before);
  expect(existsSync(join(folder.path, "run"))).toBe(false);
});

test("every page says that it is a demo, also to whoever is not signed in", async () => {
  for (const path of ["/", "/agents", "/agents/ada/chat", "/chat", "/chat/notes", "/sign-in"]) {
    const page = await (await fetch(`${started.url}${path}`)).text();
    expect(page, path).toContain('<html data-demo="" lang="en">');
  }
  const plain = await (await fetch(`${started.url}/sign-in`)).text();
  expect(plain).toContain('<p class="demo" role="note"><strong>Demo.</strong> Everything here is made up');
  expect((await ask("GET", "/me")).answer).toMatchObject({ demo: true, user: "olga", tries: started.demo.tries });
});

test("while it runs, it is not made anew", async () => {
  const { code, stderr } = await charterMeanwhile(["start", "--demo", "--fresh"], { cwd: folder.path });
  expect([code, stderr.split("\n")[0]]).toEqual([
    2,
    expect.stringMatching(/^store-busy: .*demo\.db cannot be made anew/),
  ]);
});

test("the next start opens it as it is; --fresh makes it anew, and nothing is left lying about", async () => {
  const { made } = started.demo;
  expect(await started.stop()).toBe(0);
  started = await startDemo({ cwd: folder.path, env });
  ask = await asOperator(started);
  expect(started.demo.made).toBe(made);
  const inputs = async () => JSON.stringify((await ask("GET", "/agents/ada/turns?limit=5")).answer);
  expect(await inputs()).toContain("Answer the club's letter for me.");
  expect(await started.stop()).toBe(0);
  started = await startDemo({ cwd: folder.path, env, args: ["--fresh", "--host", "localhost"] });
  ask = await asOperator(started);
  expect(started.demo.made > made).toBe(true);
  expect(await inputs()).not.toContain("Answer the club's letter for me.");
  expect(await started.stop()).toBe(0);
  expect(readdirSync(join(folder.path, ".charter")).toSorted()).toEqual([
    ...[".gitignore", "charter.db", "demo.db", "demo.json"],
  ]);
  expect(othersIn(folder)).toEqual(before);
});
