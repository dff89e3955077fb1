import { attachmentSettingsOf } from "../../../agent/attachments/attachment-settings.ts";
import { sessionSettingsOf } from "../../../agent/turn/session/session-settings.ts";
import type { AgentMcp } from "../../../host/mcp/agent-mcp.ts";
import { Problem } from "../../../prompt/problem.ts";
import type { Store } from "../../../store/store.ts";
import { askModeIn, usualAskMode } from "../../chat/ask-mode.ts";
import { banner, madeLines } from "../../chat/banner.ts";
import { chooseAgent, mayCreate } from "../../chat/choose-agent.ts";
import { codingSetupFor } from "../../chat/coding.ts";
import { chatCommands } from "../../chat/commands.ts";
import { attachedFile } from "../../chat/file-command.ts";
import { mcpFor } from "../../chat/mcp.ts";
import { createTalk, type Talk } from "../../chat/talk.ts";
import { colours } from "../../print/colour.ts";
import { type CommandModels, modelsFor, namesFor } from "../../shared/models.ts";
import { directoryOptions, parseOptions, windowIn } from "../../shared/options.ts";
import { storeOptions, withStore } from "../../shared/store.ts";
import { askForSettings, mayAskHere, settingsOption } from "../../shared/trust/settings-question.ts";
import { askOnce } from "../../shared/trust/trust-question.ts";
import { userAtTerminal } from "../../shared/user-at-terminal.ts";
import { converse } from "../../terminal/conversation.ts";
import { fixedLines, type Lines, pipedLines } from "../../terminal/lines.ts";
import { createScreen, type Output } from "../../terminal/screen.ts";
import type { SlashCommand } from "../../terminal/slash-command.ts";
import { typedLines } from "../../terminal/typed-lines.ts";

const options = {
  ...storeOptions,
  ...directoryOptions,
  ...settingsOption,
  agent: { type: "string", short: "a" },
  user: { type: "string", short: "u" },
  model: { type: "string", short: "m" },
  window: { type: "string" },
  charter: { type: "string", short: "c" },
  channel: { type: "string" },
  session: { type: "string", short: "s" },
  lock: { type: "string" },
  file: { type: "string", multiple: true },
  ask: { type: "string" },
} as const;

type Values = ReturnType<typeof parseOptions<typeof options>>["values"];

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("chat", args, options);
  for (const name of ["agent", "user", "model", "window", "charter", "channel", "session", "settings"] as const)
    if (values[name] === "")
      throw new Problem("usage", `--${name} is empty.`, "Give it a value, or leave it out; see charter chat --help.");
  await askForSettings({ ...values, places: values }, mayAskHere(values));
  const work = async (store: Store) => {
    const models = modelsFor(store);
    const mcp = mcpFor(store);
    try {
      return await chat({ store, models, mcp }, values, positionals);
    } finally {
      await Promise.all([models.close(), mcp.close()]);
    }
  };
  return withStore(values, work, { create: mayCreate(values) });
}

type ChatParts = { readonly store: Store; readonly models: CommandModels; readonly mcp: AgentMcp };

async function chat({ store, models, mcp }: ChatParts, values: Values, words: readonly string[]): Promise<number> {
  const { file: paths = [] } = values;
  const isOne = words.length > 0 || paths.length > 0;
  const { agent, made } = await chooseAgent(store, values);
  const { settings } = agent;
  const { stdin, stdout, stderr } = process;
  const coding = await codingSetupFor(agent, store, values, !isOne && mayAskHere(values));
  // Where nobody can answer, only what is asked for by name is asked about: it would wait for good.
  const mayAsk = stdin.isTTY && stdout.isTTY && !values.json;
  const talking = {
    store,
    models,
    mcp,
    agent: agent.name,
    user: values.user ?? userAtTerminal(),
    channel: values.channel ?? "terminal",
    zone: typeof settings.zone === "string" ? settings.zone : Intl.DateTimeFormat().resolvedOptions().timeZone,
    window: windowIn(values, agent) ?? (values.model || agent.model ? undefined : await models.usualWindow()),
    sessionSettings: sessionSettingsOf(settings.sessions, `The settings of “${agent.name}”`, "bad-settings"),
    attachments: attachmentSettingsOf(settings.attachments, `The settings of “${agent.name}”`, "bad-settings"),
    lock: values.lock,
    charter: values.charter,
    coding,
    ask: askModeIn(values) ?? usualAskMode({ mayAsk, worksInFiles: coding !== undefined }),
  };
  const talk = await createTalk(talking, await namesFor(agent, values.model));
  await chooseSession(talk, values.session);
  const files = paths.map((path) => attachedFile(path, talk.attachments));

  const pipe: Output = { write: (text) => stdout.write(text) };
  const out = values.json ? pipe : stdout;
  const paint = colours(out.isTTY ? stdout : stderr);
  const screen = createScreen({ out, err: stderr, paint, opening: `${paint.cyan(`${talk.agent} ›`)} ` });
  const commands = chatCommands(talk, screen);
  const typed = !isOne && stdin.isTTY && screen.live;
  screen.note(isOne ? madeLines(agent, store, made, screen) : await banner(talk, agent, made, screen));
  const lines = typed
    ? await typing(talk, commands)
    : isOne
      ? { ...fixedLines(files.length > 0 ? [] : [words.join(" ")], process), ...(mayAsk ? { ask: askOnce } : {}) }
      : pipedLines(stdin, process);
  const onTurnEnd = (end: object) => stdout.write(`${JSON.stringify(end)}\n`);
  const { failed } = await converse({
    lines,
    screen,
    commands,
    runTurn: (input, watching) => talk.runTurn(input, watching, typed),
    ...(files.length > 0 ? { opening: [...(words.length > 0 ? [{ text: words.join(" ") }] : []), ...files] } : {}),
    ...(values.json ? { onTurnEnd } : {}),
  });
  return failed > 0 && !typed ? 1 : 0;
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
