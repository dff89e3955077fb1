import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bareEnvironment, command, quickNpx } from "../cli.ts";
import { type FakeTelegram, startTelegram } from "../telegram/fake.ts";

const root = resolve(import.meta.dirname, "../../..");
const page = readFileSync(join(root, "docs/assistant.md"), "utf8");
const blocks = [...page.matchAll(/^```(console|telegram)\n([\s\S]*?)^```$/gm)].map(([, kind, text]) => ({
  kind: kind as string,
  text: text as string,
}));
const hasCurl = spawnSync("curl", ["--version"]).status === 0;
const chat = 4242;

let folder: string;
let telegram: FakeTelegram;
let server: ChildProcess;
let env: NodeJS.ProcessEnv;

/** What the page's first block does: the assistant beside the reader, with a bot, and two tokens. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "charter-uat-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  telegram = await startTelegram();
  const PATH = [quickNpx(), dirname(process.execPath), process.env.PATH].join(delimiter);
  const bot = { TELEGRAM_BOT_TOKEN: telegram.token, TELEGRAM_API_ROOT: telegram.url };
  env = { ...bareEnvironment(), PATH, NO_COLOR: "1", npm_config_loglevel: "error" };
  const args = [command, "start", "--no-open", "--port", "0", "--json"];
  server = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...env, ...bot },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface({ input: server.stdout as NodeJS.ReadableStream }), "line");
  const token = (...words: string[]) =>
    spawnSync(process.execPath, [command, "tokens", "create", ...words], { cwd: folder, env, encoding: "utf8" });
  const tokens = { TOKEN: token("--operator").stdout.trim(), BO: token("--user", "bo").stdout.trim() };
  env = { ...env, ...tokens, CHARTER: `${JSON.parse(line).url}/api` };
});
afterAll(async () => {
  const ended = once(server, "exit");
  server.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  await telegram.close();
  rmSync(folder, { recursive: true, force: true });
});

async function run(words: string): Promise<string> {
  const ran = await promisify(execFile)("bash", ["-c", words], { cwd: folder, env }).catch((error) => error);
  return ran.stdout;
}

let heard = 0;

/** `> ` is what someone writes to the bot, `< ` how what it answers begins. */
async function converse(text: string): Promise<void> {
  for (const part of text.split(/^(?=[<>] )/m)) {
    const words = part.slice(2).trimEnd();
    if (part.startsWith(">")) {
      telegram.says(chat, words.replace("CODE", readFileSync(join(folder, "code.txt"), "utf8").trim()));
      continue;
    }
    await telegram.until(() => telegram.textsTo(chat).length > heard);
    const answer = telegram.textsTo(chat)[heard++] as string;
    expect(answer.slice(0, words.length)).toBe(words);
  }
}

describe("docs/assistant.md", () => {
  test.skipIf(!hasCurl)("is what really happens, step by step (needs curl)", async () => {
    expect(blocks.length).toBeGreaterThan(8);
    for (const { kind, text } of blocks) {
      if (kind === "telegram") await converse(text);
      else
        for (const shown of text.split(/^\$ /m).slice(1)) {
          const [words = "", ...said] = shown.split("\n");
          expect([words, await run(words)]).toEqual([words, said.join("\n")]);
        }
    }
  });
});
