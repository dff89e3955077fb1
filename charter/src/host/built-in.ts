import type { Channels } from "../charters/assistant/assistant.ts";
import type { DeclaredTurn } from "../charters/declared-turn.ts";
import type { Fact, FactFields } from "../charters/facts.ts";

/** Function from facts to a declaration and a turn. `channels` are those a host registers besides the usual ones. */
type FromFacts = (facts: Fact, clock: () => Date, channels?: Channels) => DeclaredTurn;

type BuiltIn = {
  readonly says: string;
  readonly load: () => Promise<{
    readonly fromFacts: FromFacts;
    readonly facts: FactFields;
    /** Settings of an agent that is created without a setup. */
    readonly demo?: Readonly<Record<string, unknown>>;
  }>;
};

/** Lists the ready-made charters by name; their declarations say what they are. */
export const builtIn: Readonly<Record<string, BuiltIn>> = {
  artifact: {
    says: "An agent that edits its own prompt: one section, whose opening is protected.",
    load: async () => {
      const { artifactFromFacts, artifactFacts, artifactDemo } = await import("../charters/artifact/artifact.ts");
      return { fromFacts: artifactFromFacts, facts: artifactFacts, demo: artifactDemo };
    },
  },
  assistant: {
    says: "An assistant on the web, on Telegram and on schedules, with a memory and instructions for each user.",
    load: async () => {
      const { assistantFromFacts, assistantFacts, assistantDemo } = await import("../charters/assistant/assistant.ts");
      return { fromFacts: assistantFromFacts, facts: assistantFacts, demo: assistantDemo };
    },
  },
  sovereign: {
    says: "An agent of its own: six fixed layers, four it may amend itself, and one that tells it what is going on.",
    load: async () => {
      const { sovereignFromFacts, sovereignFacts, sovereignDemo } = await import("../charters/sovereign/sovereign.ts");
      return { fromFacts: sovereignFromFacts, facts: sovereignFacts, demo: sovereignDemo };
    },
  },
  coder: {
    says: "A coding agent in a directory: its prompt comes from files, skills and tools.",
    load: async () => {
      const { coderFromFacts, coderFacts } = await import("../charters/coder/coder.ts");
      return { fromFacts: coderFromFacts, facts: coderFacts };
    },
  },
  resident: {
    says: "An identity made of what the host says, what the operator says and what the agent remembers of itself.",
    load: async () => {
      const { residentFromFacts, residentFacts, residentDemo } = await import("../charters/resident/resident.ts");
      return { fromFacts: residentFromFacts, facts: residentFacts, demo: residentDemo };
    },
  },
};

export const builtInNames = Object.keys(builtIn);

/** Default charter. */
export const usualCharter = "assistant";

export function builtInCalled(name: string): BuiltIn | undefined {
  return Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
}

/** Settings of an agent that is created without a setup, by its charter. */
export async function demoSettings(name: string): Promise<Readonly<Record<string, unknown>>> {
  return (await builtInCalled(name)?.load())?.demo ?? {};
}
