import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createStore, type Store, sqlite } from "../../src/store/index.ts";
import { bareEnvironment, command } from "../cli.ts";
import { type FakeTelegram, startTelegram } from "../telegram/fake.ts";
import { linkChat } from "./busy.ts";
import { type Ask, askAt } from "./opened.ts";
import { type Provider, startProvider } from "./provider.ts";

/** A Charter as someone starts it: a process of its own. */
export type Started = {
  readonly bo: Ask;
  readonly child: ChildProcess;
  /** What it said on standard error. */
  readonly said: () => string;
  /** How it ended: its exit code, or the signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
};

/** A folder with a database in which “ada” works for Bo, who also writes from a chat; a provider, and a Telegram. */
export type Scene = {
  readonly database: string;
  readonly store: Store;
  readonly provider: Provider;
  readonly telegram: FakeTelegram;
  readonly start: () => Promise<Started>;
  readonly close: () => Promise<void>;
};

export const chat = 7;

export async function newScene(): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "charter-started-"));
  const database = join(folder, "charter.db");
  const store = await createStore(sqlite(database));
  await store.agents.add({ name: "ada", charter: "assistant" });
  const { secret } = await store.tokens.create({ name: "Bo", kind: "user", user: "bo" });
  const [provider, telegram] = await Promise.all([startProvider(), startTelegram()]);
  await linkChat(store, telegram, { user: "bo", chat });
  const children: ChildProcess[] = [];
  const env = {
    ...{ ...bareEnvironment(), ...provider.env },
    ...{ TELEGRAM_BOT_TOKEN: telegram.token, TELEGRAM_API_ROOT: telegram.url, TELEGRAM_AGENT: "ada" },
  };
  return {
    database,
    store,
    provider,
    telegram,
    start: async () => {
      const args = ["start", "--json", "--no-open", "--port", "0", "--model", provider.model, "--database", database];
      const child = spawn(process.execPath, [command, ...args], {
        cwd: folder,
        env,
        stdio: ["ignore", "pipe", "pipe"],
      });
      children.push(child);
      let said = "";
      child.stderr.on("data", (chunk) => {
        said += chunk;
      });
      const ended = once(child, "close").then(([code, signal]) => code ?? signal);
      const [line] = await Promise.race([
        once(createInterface({ input: child.stdout }), "line"),
        ended.then((how) => Promise.reject(new Error(`charter start ended (${how}): ${said}`))),
      ]);
      return { bo: askAt(JSON.parse(line).url, secret), child, said: () => said, ended };
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
