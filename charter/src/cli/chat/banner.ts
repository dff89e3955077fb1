import { keyVariables, standInName } from "../../delivery/models/provider.ts";
import { priceNotices } from "../../host/models/spending-limits.ts";
import { timeText } from "../../operations/print/columns.ts";
import { wrapText } from "../../operations/print/wrap.ts";
import { eitherOf, listed } from "../../prompt/problem.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { Store } from "../../store/store.ts";
import type { Screen } from "../terminal/screen.ts";
import type { Talk } from "./talk.ts";
import { faultLines, workbenchLines } from "./workbench-commands.ts";

/** Who talks with whom, by which model, in which session. */
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

/** With a limit in dollars and no price nothing is asked of the model: that is said before somebody asks. */
async function priceLines({ host, agent }: Talk): Promise<string[]> {
  const limits = await host().spendingLimits();
  return priceNotices(limits.filter((limit) => limit.agent === agent)).map(({ message }) => message);
}

export function madeLines({ name }: AgentRecord, { home }: Store, made: boolean, { paint }: Screen): string[] {
  return made ? [paint.dim(`“${name}” was made for you in ${home.place}.`)] : [];
}

const words: Readonly<Record<string, readonly string[]>> = {
  update_instructions: ["always answer in bullet points"],
  update_prompt_layer: ["add to your goals: save cycles"],
  modify_system_prompt: ["add to your goals: learn to whistle", "reset your prompt"],
  save_memory: ["remember that my bike is red"],
  read_memory: ["what do you remember about my bike?"],
  read_prompt: ["what does your prompt say?"],
  read: ["read README.md"],
  bash: ["list the files", "run ls -la", "search for TODO"],
};

/** What the stand-in understands of an agent's tools. */
async function tries({ host, scope, channel }: Talk): Promise<string[]> {
  const tools = await host().tools({ ...scope, channel });
  const known = Object.keys(words).filter((tool) => tools.some(({ name }) => name === tool));
  return known.length === 0 ? [] : [`Try: ${listed(known.flatMap((tool) => words[tool] ?? []))}.`];
}
