import { z } from "zod";
import { defineTool, type Tool } from "../../../src/agent/index.ts";
import { type OpenedCharter, openCharter } from "../../../src/server/open.ts";
import { createStore, type Store } from "../../../src/store/index.ts";
import { charterMeanwhile, createFolder } from "../../cli.ts";
import { eventually } from "../../eventually.ts";
import { newPlace, type PlaceName } from "../../homes.ts";
import { type FakeTelegram, startTelegram } from "../../telegram/fake.ts";
import { type Conversation, users } from "./plan.ts";
import { type AgentName, agents, type Servers, startServers } from "./servers.ts";
import { openTerminal, type TerminalDoor } from "./terminal-door.ts";

/** A page that is as long as someone wants it, and nobody's. */
const readPage: Tool = defineTool({
  name: "read_page",
  input: z.object({ page: z.int(), chars: z.int() }),
  summary: "Read a page",
  trusted: true,
  harmless: true,
  run: ({ page, chars }) => `Page ${page}.\n${"Nothing of note happened on this line.\n".repeat(chars / 39)}`,
});

/** Charter as a house of four users has it: two servers, a bot, a scheduler, terminals. The clock is the test's. */
export type DayStage = {
  readonly store: Store;
  readonly servers: Servers;
  readonly telegram: FakeTelegram;
  readonly time: { now: Date };
  readonly log: object[];
  readonly url: string;
  readonly chatOf: (user: string) => number;
  /** Resolves when all that was written for chats has reached them. */
  readonly allSent: () => Promise<void>;
  /** Says something at a door, and gives the answer as it is read there. */
  readonly say: (conversation: Conversation, input: string) => Promise<string>;
  /** Begins a conversation anew, or has it summed up, as is done at its door. */
  readonly doFirst: (conversation: Conversation, what: "new" | "compact") => Promise<void>;
  /** The operator asks over HTTP. */
  readonly operator: (request: string, body?: unknown) => Promise<{ readonly status: number; readonly body: unknown }>;
  /** Runs a command on the day's database, as a process. */
  readonly command: (...args: string[]) => ReturnType<typeof charterMeanwhile>;
  /** Whoever sits at a terminal leaves; the next time they come it is another process. */
  readonly leaveTerminals: () => Promise<readonly (number | null)[]>;
  /** All that was ever shown at a user's terminals. */
  readonly shownTo: (user: string) => string;
  readonly close: () => Promise<void>;
};

export async function newDay(home: PlaceName): Promise<DayStage> {
  const place = await newPlace(home);
  const folder = createFolder();
  const servers = await startServers();
  // Terminals have the machine's clock: the day ends before it.
  const time = { now: new Date(Math.floor(Date.now() / 60_000) * 60_000 - 12 * 3_600_000) };
  const clock = () => time.now;
  const store = await createStore(place.open(), { now: clock });
  for (const name of Object.keys(agents) as AgentName[])
    await store.agents.add({ name, charter: "assistant", model: servers.of[name].model });
  const telegram = await startTelegram();
  const log: object[] = [];
  const opened: OpenedCharter[] = [];
  const others: Store[] = [];
  const open = async (on: Store, services: Parameters<typeof openCharter>[0]["services"]) => {
    const bot = { agent: "ada", token: telegram.token, api: telegram.url };
    const one = await openCharter({
      store: on,
      config: { port: 0, telegram: bot, operator: "olga", tools: [readPage], graceSeconds: 1 },
      services,
      env: servers.env,
      clock,
      log: (entry) => log.push(entry),
    });
    opened.push(one);
    return one.url as string;
  };
  const url = await open(store, { http: true, polling: true, schedules: true });
  const other = await createStore(place.open(), { now: clock });
  others.push(other);
  const urls = [url, await open(other, { http: true })];
  const asking = async (token: Parameters<Store["tokens"]["create"]>[0]) => {
    const { secret } = await store.tokens.create(token);
    let asked = 0;
    return async (request: string, body?: unknown) => {
      const [method = "", path = ""] = request.split(/ (.*)/s);
      // Now this machine answers, now the other.
      const response = await fetch(`${urls[asked++ % urls.length]}/api${path}`, {
        method,
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as unknown };
    };
  };
  const operator = await asking({ name: "test", kind: "operator" });
  const askers = new Map<string, Awaited<ReturnType<typeof asking>>>();
  const chatOf = (user: string) => 70 + users.indexOf(user as (typeof users)[number]);
  // An answer may have several pieces: they are written at once, and sent one after the other.
  const allSent = () =>
    eventually(async () => {
      const written = await store.dispatches.list({ agent: "ada", limit: 20 });
      return written.every(({ state }) => state === "sent");
    });
  const tell = async (chat: number, text: string) => {
    const before = telegram.textsTo(chat).length;
    telegram.says(chat, text);
    await telegram.until(() => telegram.textsTo(chat).length > before);
    await allSent();
    return telegram.textsTo(chat).slice(before).join("\n");
  };
  for (const user of users) {
    askers.set(user, await asking({ name: "test", kind: "user", user }));
    const { code } = await store.links.createCode({ agent: "ada", user }, "telegram");
    await tell(chatOf(user), `/start ${code}`);
  }
  const terminals = new Map<string, TerminalDoor>();
  const shown = new Map<string, string>();
  const terminalOf = (user: string, agent: string): TerminalDoor => {
    const key = `${user} ${agent}`;
    const args = ["--agent", agent, "--user", user, "--database", place.url];
    const terminal = terminals.get(key) ?? openTerminal(args, { cwd: folder.path, env: servers.env });
    terminals.set(key, terminal);
    return terminal;
  };
  const leaveTerminals = async () => {
    const left = await Promise.all([...terminals.values()].map((one) => one.leave()));
    for (const [key, one] of terminals) shown.set(key, (shown.get(key) ?? "") + one.written());
    terminals.clear();
    return left;
  };
  return {
    ...{ store, servers, telegram, time, log, url, chatOf, allSent, operator, leaveTerminals },
    command: (...args) => charterMeanwhile([...args, "--database", place.url], { cwd: folder.path, env: servers.env }),
    doFirst: async ({ user, door, agent }, what) => {
      if (door === "telegram") await tell(chatOf(user), `/${what}`);
      if (door === "terminal") terminalOf(user, agent).type(`/${what}`);
      if (door !== "web") return;
      const ask = askers.get(user) as typeof operator;
      const opened = await ask(`GET /agents/${agent}/sessions?channel=web&open=true`);
      const [latest] = (opened.body as { sessions: readonly { readonly id: string }[] }).sessions;
      const path = `/agents/${agent}/sessions`;
      const { status, body } = await (what === "new"
        ? ask(`POST ${path}`, {})
        : ask(`POST ${path}/${latest?.id}/compact`));
      if (status >= 300) throw new Error(`${what}: ${status} ${JSON.stringify(body)}`);
    },
    say: async ({ user, door, agent }, input) => {
      if (door === "telegram") return tell(chatOf(user), input);
      if (door === "web") {
        const { status, body } = await (askers.get(user) as typeof operator)(`POST /agents/${agent}/turns`, { input });
        const { state, reply } = body as { state?: string; reply?: string };
        return status === 200 && state === "answered" ? (reply as string) : `${status} ${JSON.stringify(body)}`;
      }
      const { reply, problem } = await terminalOf(user, agent).say(input);
      return reply ?? JSON.stringify(problem);
    },
    shownTo: (user) => [...shown].flatMap(([key, words]) => (key.startsWith(`${user} `) ? [words] : [])).join("\n"),
    close: async () => {
      await leaveTerminals();
      for (const one of opened) await one.close();
      for (const one of others) await one.close();
      await Promise.all([telegram.close(), servers.close()]);
      await store.close();
      await place.remove();
      folder.remove();
    },
  };
}
