import { z } from "zod";
import { defineTool, type Tool, type ToolContext } from "../../../src/agent/index.ts";
import type { Model, ModelRequest, ModelResult } from "../../../src/delivery/model.ts";
import { receiver, usage } from "../../agent/model.ts";
import { canary, type Mark, marksIn, type Watch } from "./canary.ts";

export type CanaryModel = Model & { readonly asked: () => number };

/**
 * A model that acts for whoever a request is for: it answers, calls tools, fails, or throws, always with their words.
 * Each request is looked at and forgotten: it may hold the words of one person with one agent, and must hold some.
 */
export function canaryModel(watch: Watch, roll: (sides: number) => number, clock: () => Date): CanaryModel {
  let count = 0;
  return {
    receiver,
    asked: () => count,
    ask: async (request, { onText }) => {
      count += 1;
      const bytes = JSON.stringify(request);
      const marks = marksIn(bytes);
      const [owner, ...others] = marks.filter(({ agent }) => agent !== "u");
      if (!owner || others.length > 0 || marks.some(({ person }) => person !== owner.person))
        watch.fault(`a request has words of ${marks.map(({ person, agent }) => `${person} with ${agent}`).join(", ")}`);
      const asked = move(request, owner ?? { person: "nobody", agent: "n" }, { roll, count, clock });
      if (asked.answer?.text) onText?.(asked.answer.text);
      return asked;
    },
  };
}

type Moving = { readonly roll: (sides: number) => number; readonly count: number; readonly clock: () => Date };

function move(request: ModelRequest, { person, agent }: Mark, { roll, count, clock }: Moving): ModelResult {
  const word = canary(person, agent, `said${count}`);
  const says = (text: string): ModelResult => ({ answer: { text, calls: [], finish: "stop", usage } });
  const calls = (...wanted: readonly [name: string, input: object | string][]): ModelResult => ({
    answer: {
      text: roll(2) === 0 ? "" : `Let me see, ${word}.`,
      calls: wanted.map(([name, input], at) => ({
        id: `call-${count}-${at}`,
        name,
        input: typeof input === "string" ? input : JSON.stringify(input),
      })),
      finish: "tool-calls",
      usage,
    },
  });
  const fault = (code: "model-rejected" | "model-failed"): ModelResult => ({
    fault: { code, message: word, retry: false },
  });
  // A turn comes to an end: after a tool has run it mostly answers.
  if (request.messages.at(-1)?.role === "tool" && roll(4) > 0) return says(`Done: ${word}.`);
  const soon = new Date(clock().getTime() + 5000).toISOString();
  const moves: readonly (() => ModelResult)[] = [
    () => calls(["update_instructions", { instructions: `- Always say ${word}.` }]),
    () => calls(["save_memory", { content: `Remember ${word}.`, key: word }], ["read_memory", { query: "Remember" }]),
    () => calls(["read_memory", {}], ["list_reminders", {}]),
    () => calls(["set_reminder", { text: `Remind me of ${word}.`, at: roll(3) === 0 ? soon : "2031-01-01T09:00" }]),
    () => calls(["note", { word }], ["browse", { page: word }]),
    () => calls(["browse", { page: word }], ["send", { to: word }], ["update_instructions", { instructions: word }]),
    () => calls(["stumble", { over: word }], [word, {}], ["note", `{ "broken": "${word}`]),
    () => calls(["set_time_zone", { zone: roll(2) === 0 ? "Europe/Berlin" : word }]),
    () => calls(["nothing_to_report", { because: word }]),
    () => fault("model-rejected"),
    () => fault("model-failed"),
    () => {
      throw new Error(word);
    },
  ];
  return roll(2) === 0 ? says(`You said it: ${word}.`) : (moves[roll(moves.length)] as () => ModelResult)();
}

/** What a host lends: tools that answer, that bring others' words, that act outside, and that fail, all in someone's words. */
export const canaryTools: readonly Tool[] = [
  own("note", (word) => `Noted ${word}.`),
  own("browse", (word) => `The page says ${word}.`, { harmless: true }),
  own("send", (word) => `Sent ${word}.`, { trusted: true }),
  own("stumble", (word) => {
    throw new Error(`I stumbled over ${word}.`);
  }),
];

function own(
  name: string,
  run: (word: string) => string,
  more: Partial<Tool> = { trusted: true, harmless: true },
): Tool {
  return defineTool({
    ...more,
    name,
    input: z.looseObject({}),
    summary: `Does ${name}`,
    run: (_input, { scope: { agent, user = "" } }: ToolContext) =>
      run(canary(marksIn(user)[0]?.person ?? "nobody", agent, name)),
  });
}
