import { attachmentSettingsOf } from "../../../agent/attachments.ts";
import type { AskMode } from "../../../agent/turn/ask-reason.ts";
import { sessionSettingsOf } from "../../../agent/turn/live-session.ts";
import { keyVariables, standInName } from "../../../delivery/models/provider.ts";
import type { Host } from "../../../host/host.ts";
import { priceNotices } from "../../../host/models/host-models.ts";
import type { ChatInput } from "../../../operations/here/run.ts";
import { colours, timeText } from "../../../operations/print/columns.ts";
import { wrapText } from "../../../operations/print/plain-text.ts";
import { eitherOf, listed } from "../../../prompt/problem.ts";
import type { AgentRecord } from "../../../store/agents.ts";
import type { Store } from "../../../store/store.ts";
import { chooseAgent, mayCreate, windowIn } from "../../chat/choose-agent.ts";
import { attachedFile, chatCommands } from "../../chat/commands.ts";
import { codingSetupFor, createTalk, faultLines, type Talk, workbenchLines } from "../../chat/talk.ts";
import type { ParsedCommand } from "../../command/parse-command.ts";
import { configIn, hostOf } from "../../shared/host.ts";
import { withStore } from "../../shared/store.ts";
import type { Here } from "../../shared/trust/here.ts";
import { askedHere, askOnce, mayAskHere } from "../../shared/trust/trusted-database.ts";
import { converse, type SlashCommand } from "../../terminal/conversation.ts";
import { fixedLines, type Lines, pipedLines, typedLines } from "../../terminal/lines.ts";
import { createScreen, type Output, type Screen } from "../../terminal/screen.ts";

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
  // Calls are held without somebody to answer only if a mode was named: otherwise they would wait for good.
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

/** Opens the terminal; arrow-up brings back this user's earlier inputs to this agent. */
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

/** Lines about the talk: its agent, user, model and session. */
export async function banner(talk: Talk, agent: AgentRecord, made: boolean, screen: Screen): Promise<string[]> {
  const { name, charter } = agent;
  const { live, paint, width } = screen;
  const { store, user, coding } = talk;
  const workbench = coding?.place.workbench;
  const receiver = talk.model().receiver.name;
  const id = talk.session();
  const last = id === undefined ? undefined : (await store.sessions.get(id)).lastAt;
  const session = last === undefined ? "a new session" : `session ${id}, last used ${timeText(last)} UTC`;
  const standIn = receiver === standInName;
  return [
    `${paint.bold(name)} ${paint.dim(`(${charter})`)} answers with ${paint.cyan(receiver)}.`,
    `You are ${paint.bold(user)}, in ${session}.`,
    ...madeLines(agent, store, made, screen),
    ...(workbench ? [...(await workbenchLines(workbench)), ...faultLines(workbench, screen)] : []),
    ...(standIn
      ? [
          paint.yellow("No model is connected: a script answers, the stand-in, and really calls tools."),
          `To talk to a model, set ${eitherOf(keyVariables)}, or name one with --model.`,
        ]
      : []),
    ...(await priceLines(talk)).map(paint.yellow),
    ...(live && standIn ? (await tries(talk)).map(paint.dim) : []),
    ...(live ? [paint.dim("/help lists the commands. Ctrl-C stops an answer; Ctrl-D leaves.")] : []),
  ].flatMap((line) => wrapText(line, width));
}

/** Notices about a spending limit without a known price, which makes every turn fail, before the first turn. */
async function priceLines({ host, agent }: Talk): Promise<string[]> {
  const limits = await host().spendingLimits();
  return priceNotices(limits.filter((limit) => limit.agent === agent)).map(({ message }) => message);
}

function madeLines({ name }: AgentRecord, { home }: Store, made: boolean, { paint }: Screen): string[] {
  return made ? [paint.dim(`“${name}” was made for you in ${home.place}.`)] : [];
}

const wordsToTry: Readonly<Record<string, readonly string[]>> = {
  update_instructions: ["always answer in bullet points"],
  update_prompt_layer: ["add to your goals: save cycles"],
  modify_system_prompt: ["add to your goals: learn to whistle", "reset your prompt"],
  save_memory: ["remember that my bike is red"],
  read_memory: ["what do you remember about my bike?"],
  read_prompt: ["what does your prompt say?"],
  read: ["read README.md"],
  bash: ["list the files", "run ls -la", "search for TODO"],
};

/** Suggestions that the stand-in understands, for an agent's tools. */
async function tries({ host, scope, channel }: Talk): Promise<string[]> {
  const tools = await host().tools({ ...scope, channel });
  const known = Object.keys(wordsToTry).filter((tool) => tools.some(({ name }) => name === tool));
  return known.length === 0 ? [] : [`Try: ${listed(known.flatMap((tool) => wordsToTry[tool] ?? []))}.`];
}

/**
 * Default ask mode. An agent that works in files asks before it runs commands and changes files; what others change can be
 * undone. If nobody can answer, only untrusted text causes calls to be held.
 */
export function usualAskMode({
  mayAsk,
  worksInFiles,
}: {
  readonly mayAsk: boolean;
  readonly worksInFiles: boolean;
}): AskMode {
  return mayAsk && worksInFiles ? "writes" : "never";
}
