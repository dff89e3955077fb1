import { assistantDaySections, assistantDayTurns } from "../workloads/assistant-day.ts";
import {
  coderEditedTurns,
  coderProjectSections,
  coderPromptSections,
  coderPromptTurns,
} from "../workloads/coder-prompt.ts";
import { type Section, sectionWords } from "../workloads/section.ts";
import { activeSenders, sovereignSections, sovereignTurns, withAmendments } from "../workloads/sovereign-turns.ts";
import { offersOf, type Talk, type ToolOffer, talkOf } from "./talk.ts";

/** What happens to an agent, and nothing of how its prompt is delivered. */
export type Trace = {
  readonly name: Workload;
  /** A turn of five steps calls four tools, one after the other, and then answers. */
  readonly steps: number;
  readonly tools: readonly ToolOffer[];
  readonly turns: readonly Turn[];
};

export type Turn = Talk & {
  readonly at: string;
  /** The whole prompt of this turn, in the seed's own order. */
  readonly sections: readonly Section[];
  /** The stable sections whose words are not those of the turn before. */
  readonly changed: readonly string[];
};

export const workloads = [
  "assistant-day",
  "sovereign-turns",
  "sovereign-turns-varying",
  "coder-prompt",
  "edited-file",
  "long-results",
] as const;
export type Workload = (typeof workloads)[number];

const secondsBetweenTurns = 90;
const secondsBetweenSteps = 5;
/** In characters: 4,000 tokens. */
const longResult = 19_400;

export function createTrace(name: Workload, turns: number, steps: number): Trace {
  const { began, tools, prompts } = storyOf(name, turns);
  const resultLength = name === "long-results" ? longResult : undefined;
  return {
    name,
    steps,
    tools: offersOf(tools),
    turns: prompts.map((sections, index) => ({
      ...talkOf(index, steps - 1, tools, resultLength),
      at: new Date(Date.parse(began) + index * secondsBetweenTurns * 1000).toISOString(),
      sections,
      changed: changedSections(prompts[index - 1] ?? sections, sections),
    })),
  };
}

/** How long a trace is run: results are long in turns that call for some, and fill any window in more than 20 turns. */
export function lengthsOf(name: Workload): readonly { readonly turns: number; readonly steps: number }[] {
  if (name === "long-results") return [{ turns: 20, steps: 5 }];
  return [20, 200].flatMap((turns) => [1, 5].map((steps) => ({ turns, steps })));
}

export function traceTitle(name: Workload, turns: number, steps: number): string {
  return `${name}, ${turns} turns of ${steps === 1 ? "one step" : `${steps} steps`}`;
}

/** When each request of a trace is made, in seconds from the first. */
export function requestTimes({ turns, steps }: Trace): number[] {
  return turns.flatMap((_, turn) =>
    Array.from({ length: steps }, (_, step) => turn * secondsBetweenTurns + step * secondsBetweenSteps),
  );
}

/** The stable words of a turn that differ from another's. State is not looked at. */
export function changedSections(before: readonly Section[], after: readonly Section[]): string[] {
  const words = new Map(before.map((section) => [section.name, sectionWords(section)]));
  return after
    .filter((section) => section.stability === "stable" && words.get(section.name) !== sectionWords(section))
    .map(({ name }) => name);
}

type Story = { readonly began: string; readonly tools: readonly string[]; readonly prompts: readonly Section[][] };

function storyOf(name: Workload, count: number): Story {
  if (name === "assistant-day") {
    const turns = assistantDayTurns(count, { channelEvery: 50, instructionsEvery: 33 });
    return {
      began: "2026-02-18T09:00:00Z",
      tools: turns[0]?.toolNames ?? [],
      prompts: turns.map(assistantDaySections),
    };
  }
  if (name === "coder-prompt" || name === "edited-file" || name === "long-results") {
    const turns = name === "edited-file" ? coderEditedTurns(count) : coderPromptTurns(count, 60);
    return {
      began: "2026-03-07T09:00:00Z",
      tools: turns[0]?.selectedTools ?? [],
      prompts: turns.map(name === "coder-prompt" ? coderPromptSections : coderProjectSections),
    };
  }
  const turns = withAmendments(sovereignTurns(count), 40);
  const active = name === "sovereign-turns-varying" ? activeSenders(turns) : [];
  return {
    began: "2026-02-20T10:00:00Z",
    tools: turns[0]?.tools.map((tool) => tool.name) ?? [],
    prompts: turns.map((inputs, turn) => sovereignSections(inputs, active[turn])),
  };
}
