import type { TurnInput } from "../../agent/turn-interface.ts";
import { Problem } from "../../prompt/problem.ts";
import { repeatEvery } from "../loop.ts";
import { isTransient } from "../transient.ts";
import { channel, type Life } from "./life.ts";
import type { TurnProblem } from "./message-outcome.ts";
import { phaseEvents, type StateChanges } from "./state-changes.ts";

/** How much a turn may do that nobody waits in front of. */
const limits = { steps: 10, turnSeconds: 90, toolCalls: 12 } as const;

type LeasedTurn = Pick<TurnInput, "input" | "user" | "foreign"> & {
  readonly id: string;
  /** Whether what the turn is about is still there, and this process in charge. */
  readonly isStillWanted?: () => Promise<boolean>;
};

/** How it ended. `lost`: another is in charge by now, and nothing may be made of it here. */
export type LeasedTurnEnd = {
  readonly turn: string;
  readonly lost: boolean;
  readonly state: "answered" | "failed";
  readonly reply: string | null;
  readonly problem?: TurnProblem;
};

/**
 * Takes a turn while this process is in charge: it is stopped as soon as another is. What the store's own trouble makes of
 * it is thrown: the next round finds out from the record how far it came.
 */
export async function performTurn(life: Life, turn: LeasedTurn, changes: StateChanges): Promise<LeasedTurnEnd> {
  const { host, agent, runner, leaseMs, sleep, late } = life;
  const { automata } = host.store;
  const { isStillWanted: isStillThere, ...asked } = turn;
  const lost = new AbortController();
  const keep = repeatEvery(
    leaseMs / 3,
    async () => {
      if (!(await automata.renew(agent, runner, leaseMs))) lost.abort();
    },
    sleep,
  );
  const isStillWanted = async () => {
    if (isStillThere && (await isStillThere())) return !lost.signal.aborted;
    if ((await automata.find(agent))?.runner !== runner) lost.abort();
    return isStillThere === undefined && !lost.signal.aborted;
  };
  try {
    const { state, reply, problem } = await host.runTurn(
      { ...asked, agent, channel, session: "none", limits, isStillWanted },
      {
        signal: AbortSignal.any([late, lost.signal]),
        on: (event) => {
          if (event.kind === "phase") changes.note(phaseEvents[event.phase], turn.id);
        },
      },
    );
    return { turn: turn.id, lost: lost.signal.aborted, state, reply, ...(problem ? { problem } : {}) };
  } catch (error) {
    if (lost.signal.aborted) return { turn: turn.id, lost: true, state: "failed", reply: null };
    if (!(error instanceof Problem) || isTransient(error)) throw error;
    return { turn: turn.id, lost: false, state: "failed", reply: null, problem: error };
  } finally {
    keep();
  }
}

/** What the operator is told of it: no words of anyone's. */
export function turnFacts({ turn, state, problem }: LeasedTurnEnd): Readonly<Record<string, unknown>> {
  return { turn, state, ...(problem ? { code: problem.code } : {}) };
}
