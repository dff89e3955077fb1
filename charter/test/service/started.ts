import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { createStore, type Store, sqlite } from "../../src/store/index.ts";
import { bareEnvironment, command } from "../cli.ts";
import { type FakeTelegram, startTelegram } from "../telegram/fake.ts";
import { linkChat } from "./busy.ts";
import { type Ask, askAt } from "./opened.ts";
import { type Provider, startProvider } from "./provider.ts";

/** A Charter as someone starts it: a process of its own. */
export type Started = {
  readonly url: string;
  readonly bo: Ask;
  readonly child: ChildProcess;
  /** What it said on standard error. */
  readonly said: () => string;
  /** How it ended: its exit code, or the signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
};

/** A folder with a database in which “ada” works for Bo, who also writes from a chat; a provider, and a Telegram. */
export type Scene = {
  readonly folder: string;
  readonly database: string;
  readonly store: Store;
  readonly provider: Provider;
  readonly telegram: FakeTelegram;
  readonly start: (by?: StartedBy) => Promise<Started>;
  readonly close: () => Promise<void>;
};

/** Who starts the command: a program and what it is told before the command's own words. */
export type StartedBy = {
  readonly program: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** In a process group of its own, as a shell gives to what is typed. */
  readonly group?: boolean;
};

const directly: StartedBy = { program: [process.execPath, command] };

export const chat = 7;

export async function newScene(): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "charter-started-"));
  const database = join(folder, "charter.db");
  const store = await createStore(sqlite(database));
  await store.agents.add({ name: "ada", charter: "assistant" });
  const { secret } = await store.tokens.create({ name: "Bo", kind: "user", user: "bo" });
  const [provider, telegram] = await Promise.all([startProvider(), startTelegram()]);
  await linkChat(store, telegram, { user: "bo", chat });
  // Nobody is cut off because a machine is slow.
  const config = join(folder, "patient.config.mjs");
  writeFileSync(config, "export default { graceSeconds: 3600 };\n");
  const children: ChildProcess[] = [];
  const env = {
    ...{ ...bareEnvironment(), ...provider.env },
    ...{ TELEGRAM_BOT_TOKEN: telegram.token, TELEGRAM_API_ROOT: telegram.url, TELEGRAM_AGENT: "ada" },
  };
  return {
    folder,
    database,
    store,
    provider,
    telegram,
    start: async (by = directly) => {
      const args = [
        "start",
        "--json",
        "--no-open",
        "--port",
        "0",
        "--settings",
        config,
        "--model",
        provider.model,
        "--database",
        database,
      ];
      const [program, ...first] = by.program;
      const child = spawn(program, [...first, ...args], {
        cwd: by.cwd ?? folder,
        env: { ...env, ...by.env },
        detached: by.group === true,
        stdio: ["ignore", "pipe", "pipe"],
      });
      children.push(child);
      let said = "";
      child.stderr.on("data", (chunk) => {
        said += chunk;
      });
      const ended = once(child, "close").then(([code, signal]) => code ?? signal);
      const facts = await Promise.race([
        firstJson(child.stdout),
        ended.then((how) => Promise.reject(new Error(`charter start ended (${how}): ${said}`))),
      ]);
      return { url: facts.url, bo: askAt(facts.url, secret), child, said: () => said, ended };
    },
    close: async () => {
      for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await telegram.close();
      await provider.down();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What the command says first; npm says what it runs before that. */
function firstJson(stdout: Readable): Promise<{ readonly url: string }> {
  return new Promise((resolve) => {
    createInterface({ input: stdout }).on("line", (line) => line.startsWith("{") && resolve(JSON.parse(line)));
  });
}
