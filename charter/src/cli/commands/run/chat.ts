import { sessionSettingsOf } from "../../../agent/turn/session/session-settings.ts";
import { defaultModelName } from "../../../delivery/models/provider.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { Store } from "../../../store/store.ts";
import { banner, madeLines } from "../../chat/banner.ts";
import { chooseAgent, mayCreate } from "../../chat/choose-agent.ts";
import { codingSetupFor } from "../../chat/coding.ts";
import { chatCommands } from "../../chat/commands.ts";
import { createTalk, type Talk } from "../../chat/talk.ts";
import { colours } from "../../print/colour.ts";
import { type CommandModels, modelsFor } from "../../shared/models.ts";
import { directoryOptions, parseOptions, windowIn } from "../../shared/options.ts";
import { storeOptions, withStore } from "../../shared/store.ts";
import { userAtTerminal } from "../../shared/user-at-terminal.ts";
import { converse } from "../../terminal/conversation.ts";
import { fixedLines, type Lines, pipedLines } from "../../terminal/lines.ts";
import { createScreen, type Output } from "../../terminal/screen.ts";
import type { SlashCommand } from "../../terminal/slash-command.ts";
import { typedLines } from "../../terminal/typed-lines.ts";

const options = {
  ...storeOptions,
  ...directoryOptions,
  agent: { type: "string", short: "a" },
  user: { type: "string", short: "u" },
  model: { type: "string", short: "m" },
  window: { type: "string" },
  charter: { type: "string", short: "c" },
  channel: { type: "string" },
  session: { type: "string", short: "s" },
  lock: { type: "string" },
} as const;

type Values = ReturnType<typeof parseOptions<typeof options>>["values"];

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("chat", args, options);
  for (const name of ["agent", "user", "model", "window", "charter", "channel", "session"] as const)
    if (values[name] === "")
      throw new Problem("usage", `--${name} is empty.`, "Give it a value, or leave it out; see charter chat --help.");
  const work = async (store: Store) => {
    const models = modelsFor(store);
    try {
      return await chat(store, models, values, positionals);
    } finally {
      await models.close();
    }
  };
  return withStore(values, work, { create: mayCreate(values) });
}

async function chat(store: Store, models: CommandModels, values: Values, words: readonly string[]): Promise<number> {
  const { agent, made } = await chooseAgent(store, values);
  const { settings, model } = agent;
  const talking = {
    store,
    models,
    agent: agent.name,
    user: values.user ?? userAtTerminal(),
    channel: values.channel ?? "terminal",
    zone: typeof settings.zone === "string" ? settings.zone : Intl.DateTimeFormat().resolvedOptions().timeZone,
    window: windowIn(values, agent),
    sessionSettings: sessionSettingsOf(settings.sessions, `The settings of “${agent.name}”`, "bad-settings"),
    lock: values.lock,
    charter: values.charter,
    coding: await codingSetupFor(agent, store, values, words.length === 0 && mayAsk(values)),
  };
  const talk = await createTalk(talking, values.model ?? model ?? defaultModelName(process.env));
  await chooseSession(talk, values.session);

  const { stdin, stdout, stderr } = process;
  const pipe: Output = { write: (text) => stdout.write(text) };
  const out = values.json ? pipe : stdout;
  const paint = colours(out.isTTY ? stdout : stderr);
  const screen = createScreen({ out, err: stderr, paint, opening: `${paint.cyan(`${talk.agent} ›`)} ` });
  const commands = chatCommands(talk, screen);
  const typed = words.length === 0 && stdin.isTTY && screen.live;
  screen.note(words.length === 0 ? await banner(talk, agent, made, screen) : madeLines(agent, store, made, screen));
  const lines = typed
    ? await typing(talk, commands)
    : words.length > 0
      ? fixedLines([words.join(" ")], process)
      : pipedLines(stdin, process);
  const onTurnEnd = (end: object) => stdout.write(`${JSON.stringify(end)}\n`);
  const { failed } = await converse({
    lines,
    screen,
    commands,
    runTurn: talk.runTurn,
    ...(values.json ? { onTurnEnd } : {}),
  });
  return failed > 0 && !typed ? 1 : 0;
}

/** Someone is there to answer a question. */
function mayAsk({ json }: Values): boolean {
  return Boolean(process.stdin.isTTY && process.stdout.isTTY && !json);
}

async function chooseSession(talk: Talk, asked: string | undefined): Promise<void> {
  if (asked === undefined) return;
  if (asked !== "new") await talk.store.sessions.get(asked);
  talk.useSession(asked);
}

/** Arrow-up brings back what this user said to this agent before. */
async function typing({ store, scope, user }: Talk, commands: readonly SlashCommand[]): Promise<Lines> {
  const before = await store.turns.list({ ...scope, limit: 100 });
  const history = before.map(({ input }) => input).filter((input) => input !== "" && !/[\r\n]/.test(input));
  return typedLines({
    input: process.stdin,
    output: process.stdout,
    prompt: `${colours(process.stdout).bold(`${user} ›`)} `,
    history,
    completions: commands.map(({ name }) => `/${name}`),
  });
}
