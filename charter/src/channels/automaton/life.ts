import type { Host } from "../../host/host.ts";
import type { NewId } from "../../store/deps.ts";
import type { Sleep } from "../loop.ts";

export const channel = "automaton";

/** One agent's life in this process, and all that its parts share. */
export type Life = {
  readonly host: Host;
  readonly agent: string;
  /** Who is in charge, while it is this process: see `runnerName`. */
  readonly runner: string;
  readonly leaseMs: number;
  /** How long after a turn of its own the next one is due. */
  readonly everyMs: number;
  /** Messages of so many counterparts may be in one turn. */
  readonly counterparts: number;
  readonly clock: () => Date;
  readonly sleep: Sleep;
  readonly random: () => number;
  readonly newId: NewId;
  /** It has been waited long enough: what runs is stopped. */
  readonly late: AbortSignal;
  /** Tells the operator; never anyone's words. */
  readonly log: (kind: string, about?: Readonly<Record<string, unknown>>) => void;
};
