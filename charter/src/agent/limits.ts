import { listed, Problem } from "../prompt/problem.ts";

/** How much one turn may do and take. docs/agent.md says what happens when a limit is reached. */
export type Limits = {
  readonly steps: number;
  readonly toolCalls: number;
  /** The whole turn; the next three limit one source, one tool and one hook. */
  readonly turnSeconds: number;
  readonly sourceSeconds: number;
  readonly toolSeconds: number;
  readonly hookSeconds: number;
  /** A second opinion, including retries. */
  readonly opinionSeconds: number;
  /** How long a person is waited for who is asked about a call; then it is held. */
  readonly askSeconds: number;
  /** How often a model that could not answer is asked again. */
  readonly retries: number;
  /** The longest tool result in characters; the rest is cut off, and the model is told. */
  readonly toolChars: number;
  /** Dollars a day for each user of the agent; the next is for the agent with all its users. */
  readonly userDollarsPerDay?: number;
  readonly agentDollarsPerDay?: number;
};

/** The default limits of a turn. */
export const usualLimits: Limits = {
  steps: 20,
  toolCalls: 64,
  turnSeconds: 300,
  sourceSeconds: 10,
  toolSeconds: 60,
  hookSeconds: 5,
  opinionSeconds: 20,
  askSeconds: 120,
  retries: 3,
  toolChars: 50_000,
};

const names = [...Object.keys(usualLimits), "userDollarsPerDay", "agentDollarsPerDay"];

/** Two hands may limit a turn; where both do, the narrower limit holds. */
export function narrower(one: Partial<Limits> = {}, other: Partial<Limits> = {}): Partial<Limits> {
  const both = Object.entries(other).map(([name, value]) => [
    name,
    Math.min(value, one[name as keyof Limits] ?? value),
  ]);
  return { ...one, ...Object.fromEntries(both) };
}

export function limitsOf(given: Partial<Limits> = {}): Limits {
  for (const [name, value] of Object.entries(given)) {
    if (!names.includes(name))
      throw new Problem("bad-limit", `There is no limit “${name}”.`, `The limits are ${listed(names)}.`);
    if (!(typeof value === "number" && Number.isFinite(value) && value >= 0))
      throw new Problem("bad-limit", `The limit “${name}” is ${String(value)}.`, "Give a number from 0 up.");
  }
  return { ...usualLimits, ...given };
}
