import type { Model } from "../model.ts";
import type { AcpEntry } from "./entry.ts";

/** What `createAcpAgents` is given. */
export type AcpAgentsOptions = {
  /** The agents, by the names that models give them: `acp/<name>`. */
  readonly entries: Readonly<Record<string, AcpEntry>>;
  /** Where directories of agents are made: one for each agent and user. */
  readonly home: string;
  /** Files of ours, such as the database, keys and the configuration: none may be below an agent's directory. */
  readonly ours?: readonly string[];
  /** PATH is taken from it, and nothing else. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock?: () => Date;
  readonly random?: () => number;
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
};

/** The agents that are reached over ACP, each as a model. Their processes run until they are idle for long, or closed. */
export type AcpAgents = {
  /** `acp/<name>` as a model. A name without an entry is a Problem. Starts nothing. */
  readonly model: (name: string) => Model;
  /** Ends all processes, with their children. */
  readonly close: () => Promise<void>;
};
