/** What is known of someone's first minute with an agent. */
export type FirstFacts = {
  /** They have said something to it. */
  readonly said: boolean;
  /** They have looked at its prompt since. */
  readonly seen: boolean;
  /** A person has changed one of its sections. */
  readonly changed: boolean;
};

/**
 * What came of what was said: a section is as the agent changed it, the agent changed one and a person has edited it since,
 * a change needed a person's approval, or nothing changed. Undefined while nobody can know.
 */
export type Effect = "landed" | "edited" | "held" | "nothing";

export function effectOf(
  last: { readonly state: string } | undefined,
  { landed, amended, held }: { readonly landed: boolean; readonly amended: boolean; readonly held: boolean },
): Effect | undefined {
  if (landed) return "landed";
  if (amended) return "edited";
  if (held) return "held";
  return last === undefined || last.state === "running" ? undefined : "nothing";
}

export type StepName = "say" | "see" | "change";
export type FirstStep = { readonly name: StepName; readonly title: string; readonly done: boolean };

/** The three steps, each done by what is on record. */
export function firstSteps({ said, seen, changed }: FirstFacts): readonly FirstStep[] {
  return [
    { name: "say", title: "Say something", done: said },
    { name: "see", title: "See it in the prompt", done: said && seen },
    { name: "change", title: "Change it", done: changed },
  ];
}

/** The first step that is not done yet. */
export function nextStep(steps: readonly FirstStep[]): StepName | undefined {
  return steps.find(({ done }) => !done)?.name;
}

/** Few enough turns for a house that someone has only just entered. */
const few = 5;

/** Is this a house where the three steps are what to begin with: one agent, that has hardly spoken? */
export function isFresh(agents: readonly { readonly served?: boolean | undefined }[], turns: number): boolean {
  const [only, ...others] = agents;
  return only !== undefined && others.length === 0 && only.served !== false && turns <= few;
}

/** What the browser remembers of the three steps: the rest is on record at the server. */
export type Remembered = {
  readonly agent?: string;
  readonly seen?: true;
  readonly changed?: true;
  readonly ended?: true;
};

export const nothingYet: Remembered = {};

export function readRemembered(kept: string | null): Remembered {
  if (kept === null) return nothingYet;
  try {
    const { agent, seen, changed, ended } = JSON.parse(kept) as Readonly<Record<string, unknown>>;
    return {
      ...(typeof agent === "string" ? { agent } : {}),
      ...(seen === true ? { seen } : {}),
      ...(changed === true ? { changed } : {}),
      ...(ended === true ? { ended } : {}),
    };
  } catch {
    return nothingYet;
  }
}
