import type { AgentEvent, TurnInput, TurnOutcome, Watcher } from "../../agent/turn-interface.ts";
import type { Host } from "../../host/host.ts";
import { type Caller, notFound } from "../../operations/caller.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Access } from "../auth/access.ts";
import { internalProblem, type ProblemFacts, problemFactsFor } from "../http/error.ts";
import type { StoppableTurns } from "./stoppable-turns.ts";

export type TurnHandle = {
  /** Its id, once it has begun. */
  readonly id: () => string | undefined;
  readonly outcome: Promise<TurnOutcome>;
  /** Why it came to nothing, in words for whoever asked. */
  readonly problemOf: (
    failed: TurnOutcome | { readonly thrown: unknown },
  ) => ProblemFacts & { readonly stopped: boolean };
};

export type StartTurnOptions = {
  readonly host: Host;
  readonly stoppable: StoppableTurns;
  readonly caller: Caller;
  readonly access: Access;
  readonly on?: Watcher;
  /** Where the session has ended, a new one goes on. */
  readonly onNewSession?: (because: Problem) => void;
};

/**
 * Takes a turn for someone who asked over HTTP. It does not end with the connection: whoever goes finds the answer on
 * record, and it goes on for someone who is shut out as for someone who has gone. It ends when it is told to, by its id.
 */
export function startTurn(asked: TurnInput & { readonly agent: string }, taking: StartTurnOptions): TurnHandle {
  const { host, stoppable: running, caller, access, onNewSession: anew } = taking;
  const controller = new AbortController();
  let id: string | undefined;
  const on = (event: AgentEvent) => {
    if (event.kind === "turn-start") {
      id = event.turn;
      running.add(id, controller);
      access.follow(id);
    }
    taking.on?.(event);
  };
  // What waited for another turn is not begun for someone who is shut out by then.
  const isStillWanted = async () => !access.ended.aborted;
  const take = async (session: string | undefined): Promise<TurnOutcome> => {
    const { session: _, ...rest } = asked;
    const watching = { signal: controller.signal, on };
    return host.runTurn({ ...rest, isStillWanted, ...(session === undefined ? {} : { session }) }, watching);
  };
  const outcome = take(asked.session)
    .catch((error: unknown) => {
      if (id !== undefined || !(error instanceof Problem)) throw error;
      if (error.code === "unknown-session") throw notFound(`session “${asked.session}”`);
      if (!anew || error.code !== "session-ended") throw error;
      anew(error);
      return take("new");
    })
    .finally(() => {
      if (id !== undefined) running.remove(id);
    });
  return {
    id: () => id,
    outcome,
    problemOf: (failed) => {
      const stopped = controller.signal.aborted;
      if (stopped) return { ...problemFactsOf(caller, stoppedProblem()), stopped };
      if ("thrown" in failed) return { ...problemFactsOf(caller, failed.thrown), stopped };
      return { ...problemFactsOf(caller, failed.problem), stopped };
    },
  };
}

const stoppedProblem = () =>
  new Problem(
    "turn-stopped",
    "The turn was stopped.",
    "Ask again when you are ready. What you wrote stays in the conversation.",
  );

/** What nobody foresaw is in no Problem's words, and stays in the server's log. */
function problemFactsOf(caller: Caller, because: unknown): ProblemFacts {
  const known = because instanceof Problem || (isProblemFacts(because) && because.code !== "turn-failed");
  return known ? problemFactsFor(caller, because as ProblemFacts) : internalProblem;
}

function isProblemFacts(because: unknown): because is ProblemFacts {
  return typeof because === "object" && because !== null && "code" in because;
}
