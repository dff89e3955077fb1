import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Speech } from "../../src/testing/strict/speech.ts";
import { bareEnvironment, charterMeanwhile, command, createFolder, type Folder } from "../cli.ts";
import type { ContextRequest, ContextServer } from "../delivery/context-servers.ts";
import { startModelServer } from "../delivery/model-servers.ts";
import { type FakeTelegram, startTelegram } from "../telegram/fake.ts";

const page = readFileSync(join(resolve(import.meta.dirname, "../../.."), "docs/assistant.md"), "utf8");
const [, section = ""] = /^## With your own model, a bot and a page\n([\s\S]*?)^## /m.exec(page) ?? [];
/** The blocks of the page, in order: models.json, .env, the commands of the first terminal and of the second. */
const [models = "", variables = "", first = "", second = ""] = [...section.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(
  ([, text]) => text as string,
);
const chat = 7;

let [folder, home]: Folder[] = [];
let ollama: ContextServer;
let telegram: FakeTelegram;
let server: ChildProcess;
let url: string;

beforeAll(async () => {
  [folder, home] = [createFolder(), createFolder()];
  ollama = await startModelServer({
    ...{ provider: "ollama", window: 32_768, served: "qwen3:8b", truncates: true, say: answer },
  });
  telegram = await startTelegram();
});
afterAll(async () => {
  const ended = once(server, "exit");
  server.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  await Promise.all([telegram.close(), ollama.close()]);
  for (const one of [folder, home]) one?.remove();
});

/** A model that notes what it is asked to. */
function answer({ recorded }: ContextRequest): Speech {
  const { messages } = JSON.parse(recorded.body) as { messages: { role: string; content: unknown }[] };
  if (messages.some(({ role }) => role === "tool")) return { text: ["I ", "have noted it."] };
  const asked = JSON.stringify(messages.filter(({ role }) => role === "user"));
  if (!asked.includes("Remember that")) return { text: ["Good ", "morning."] };
  return { calls: [{ id: "call-1", name: "save_memory", input: '{"content": "Bo\'s bicycle is red."}' }] };
}

const here = () => ({ cwd: folder?.path as string, env: { HOME: home?.path as string, NO_COLOR: "1" } });

/** A line of the page, as it stands there. */
async function types(line: string): Promise<string> {
  const { code, stdout, stderr } = await charterMeanwhile(line.split(" ").slice(2), here());
  expect([line, code, stderr]).toEqual([line, 0, expect.any(String)]);
  return stdout;
}

async function tells(text: string): Promise<string> {
  const before = telegram.textsTo(chat).length;
  telegram.says(chat, text);
  await telegram.until(() => telegram.textsTo(chat).length > before);
  return telegram.textsTo(chat).at(-1) as string;
}

type PageAsk = (request: string, body?: object) => Promise<{ readonly status: number; readonly body: unknown }>;

/** The page as a browser opens it by a link: its bundle, the two halves of the session, and its API. */
async function opens(link: string): Promise<PageAsk> {
  const bundle = await fetch(`${url}/chat`);
  expect([bundle.status, await bundle.text()]).toEqual([200, expect.stringContaining('<script type="module"')]);
  const own = { "content-type": "application/json", origin: url, "x-charter-csrf": "1" };
  const handed = await fetch(`${url}/chat/sign-in`, {
    ...{ method: "POST", headers: own, body: JSON.stringify({ code: link.trim().split("#")[1] }) },
  });
  const { half, user, agent } = (await handed.json()) as Record<string, string>;
  expect([handed.status, user, agent]).toEqual([200, "bo", "ada"]);
  const cookie = handed.headers.get("set-cookie")?.split(";")[0] as string;
  return async (request, body) => {
    const [method = "", path = ""] = request.split(" ");
    const answered = await fetch(`${url}/chat/api${path}`, {
      ...{ method, headers: { ...own, cookie, "x-charter-half": half as string } },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answered.status, body: await answered.json() };
  };
}

test("from an empty folder to a model of one's own, a bot and a page, by what docs/assistant.md says", async () => {
  const { local } = JSON.parse(models) as { local: { base: string; model: string } };
  // It listens at another port here, where it is not known by that; and Telegram is not the real one.
  const at = { ...local, base: ollama.url, api: "ollama" };
  folder?.write("models.json", JSON.stringify({ local: at }));
  folder?.write(".env", `${variables.replace(/=.*/, `=${telegram.token}`)}TELEGRAM_API_ROOT=${telegram.url}\n`);

  const [trust = "", doctor = "", start = ""] = first.trim().split("\n");
  const untrusted = await charterMeanwhile(["doctor", "--models"], here());
  expect([untrusted.code, untrusted.stdout]).toEqual([1, expect.stringContaining("the directory is not trusted")]);
  expect([ollama.requests.length, telegram.calls.length]).toEqual([0, 0]);
  await types(trust);
  const health = await types(doctor);
  expect(health).toContain(`“local” at ${ollama.url}/v1 answers.`);
  expect(health).toContain("“local” takes 32,768 tokens, as its server tells.");

  const args = [...start.split(" ").slice(2), "--no-open", "--port", "0", "--json"];
  const { cwd, env } = here();
  server = spawn(process.execPath, [command, ...args], {
    ...{ cwd, env: { ...bareEnvironment(), ...env }, stdio: ["ignore", "pipe", "inherit"] },
  });
  const [line] = await once(createInterface({ input: server.stdout as NodeJS.ReadableStream }), "line");
  const facts = JSON.parse(line);
  url = facts.url;
  expect([facts.agents, facts.model, facts.telegram]).toEqual([["ada"], "local", { ada: "charter_test_bot" }]);

  const [link = "", signIn = ""] = second.trim().split("\n");
  expect(await tells("Good morning!")).toContain("This chat is not linked to anyone yet.");
  expect(await tells(`/link ${(await types(link)).trim()}`)).toContain("This chat is linked to you now.");
  expect(await tells("Good morning!")).toBe("Good morning.");

  const bo = await opens(await types(signIn));
  const turn = await bo("POST /agents/ada/turns", { input: "Remember that my bicycle is red." });
  expect(turn).toMatchObject({ status: 200, body: { state: "answered", reply: "I have noted it." } });

  // From the bot to the same user's page, in another browser.
  const web = await tells("/web");
  expect(web).toContain(`${url}/chat#charter_`);
  const elsewhere = await opens(/\S+\/chat#\S+/.exec(web)?.[0] as string);
  const notes = await elsewhere("GET /agents/ada/memory");
  expect(JSON.stringify(notes.body)).toContain("Bo's bicycle is red.");
  expect((await elsewhere("GET /tokens")).status).toBe(403);

  expect(await types("npx charter doctor")).toContain("All is well.");
});

test("a server that is not running, and a name it does not have, are told as such", async () => {
  const broken = createFolder({
    "models.json": JSON.stringify({
      named: { base: ollama.url, api: "ollama", model: "qwen3" },
      stopped: { base: await closedPort(), api: "ollama", model: "qwen3:8b" },
    }),
  });
  const run = (...args: string[]) => charterMeanwhile(args, { ...here(), cwd: broken.path });
  await run("trust");
  const { code, stdout } = await run("doctor", "--models");
  expect(code).toBe(1);
  const told = stdout.split("\n").map((line) => line.replace(/127\.0\.0\.1:\d+/g, "there"));
  expect(told.slice(told.findIndex((line) => line.startsWith("look")))).toEqual([
    'look  “named”: the server has no model “qwen3” (404): model "qwen3" not found, try pulling it first. It has “qwen3:8b”.',
    "      Fetch it with ollama pull qwen3, or mend “model” of the model “named”.",
    "look  “stopped”: nothing listens at http://there.",
    "      Start the server, or mend “base” of the model “stopped”.",
    "2 things need attention.",
    "",
  ]);
  broken.remove();
});

/** An address where something listened a moment ago. */
async function closedPort(): Promise<string> {
  const other = await startTelegram();
  await other.close();
  return other.url;
}
