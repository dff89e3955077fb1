import { attachmentSettingsOf } from "../../../agent/attachments.ts";
import { sessionSettingsOf } from "../../../agent/turn/live-session.ts";
import type { Host } from "../../../host/host.ts";
import type { ChatInput } from "../../../operations/here/chat.ts";
import { colours } from "../../../operations/print/colour.ts";
import type { Store } from "../../../store/store.ts";
import { usualAskMode } from "../../chat/ask-mode.ts";
import { banner, madeLines } from "../../chat/banner.ts";
import { chooseAgent, mayCreate, windowIn } from "../../chat/choose-agent.ts";
import { codingSetupFor } from "../../chat/coding.ts";
import { chatCommands } from "../../chat/commands.ts";
import { attachedFile } from "../../chat/file-command.ts";
import { createTalk, type Talk } from "../../chat/talk.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";
import { configIn, hostOf } from "../../shared/host.ts";
import { withStore } from "../../shared/store.ts";
import type { Here } from "../../shared/trust/here.ts";
import { askedHere, askOnce, mayAskHere } from "../../shared/trust/trust-question.ts";
import { converse } from "../../terminal/conversation.ts";
import { fixedLines, type Lines, pipedLines } from "../../terminal/lines.ts";
import { createScreen, type Output } from "../../terminal/screen.ts";
import type { SlashCommand } from "../../terminal/slash-command.ts";
import { typedLines } from "../../terminal/typed-lines.ts";

type Values = ChatInput & Pick<ParsedCommand, "json">;

export async function run({ input, json, database }: ParsedCommand): Promise<number> {
  const values: Values = { ...(input as ChatInput), json };
  const here = await askedHere({ ...values, places: values }, mayAskHere(values));
  const config = await configIn(here, { database });
  const work = async (store: Store) => {
    const host = await hostOf(store, here, values, config);
    try {
      return await chat(host, { here, operator: config.operator }, values);
    } finally {
      await host.close(0);
    }
  };
  return withStore({ database: config.database, here }, work, { create: mayCreate(values) });
}

async function chat(
  host: Host,
  { here, operator }: { readonly here: Here; readonly operator: string },
  values: Values,
): Promise<number> {
  const { store } = host;
  const { file: paths = [], words } = values;
  const isOne = words !== undefined || paths.length > 0;
  const { agent, made } = await chooseAgent(host, values);
  const { settings } = agent;
  const { stdin, stdout, stderr } = process;
  const coding = await codingSetupFor(agent, store, { ...values, here }, !isOne && mayAskHere(values));
  // Where nobody can answer, only what is asked for by name is asked about: it would wait for good.
  const mayAsk = stdin.isTTY && stdout.isTTY && !values.json;
  const talking = {
    agent: agent.name,
    user: values.user ?? operator,
    channel: values.channel ?? "terminal",
    sessionSettings: sessionSettingsOf(settings.sessions, `The settings of “${agent.name}”`, "bad-settings"),
    attachments: attachmentSettingsOf(settings.attachments, `The settings of “${agent.name}”`, "bad-settings"),
    coding,
    ask: values.ask ?? usualAskMode({ mayAsk, worksInFiles: coding !== undefined }),
  };
  const talk = await createTalk(host, talking, { model: values.model, window: windowIn(values, agent) });
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
      ? {
          ...fixedLines(files.length > 0 || words === undefined ? [] : [words], process),
          ...(mayAsk ? { ask: askOnce } : {}),
        }
      : pipedLines(stdin, process);
  const onTurnEnd = (end: object) => stdout.write(`${JSON.stringify(end)}\n`);
  const { failed } = await converse({
    lines,
    screen,
    commands,
    runTurn: (input, watching) => talk.runTurn(input, watching, typed),
    ...(files.length > 0 ? { opening: [...(words === undefined ? [] : [{ text: words }]), ...files] } : {}),
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
