import { exampleSoul } from "../../charters/assistant/assistant.ts";

/** The agent of someone who has none yet. */
export const demoAgent = { name: "ada", charter: "assistant" };

/** What an agent that is made on the spot is set up with, by its charter. */
export function demoSettings(charter: string): Readonly<Record<string, unknown>> {
  return Object.hasOwn(settings, charter) ? (settings[charter] as Readonly<Record<string, unknown>>) : {};
}

const artifactOriginal = `You are a small agent that keeps its own instructions. Everything below this paragraph is yours to change with
modify_system_prompt, in small steps, and only when it helps the person you work for. This paragraph stays as it is.

## Goals
1. Answer truly, and say when you do not know.
2. Keep these instructions short.

## Notes
- Nothing yet.
`;

const settings: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  assistant: {
    original: {
      soul: exampleSoul,
      identity: { name: "Ada", vibe: "Calm, direct, a little dry.", description: "a personal operations assistant" },
    },
  },
  artifact: { original: artifactOriginal },
  sovereign: { soul: "demo" },
  resident: { base: "You live in a terminal and help whoever sits at it." },
};
