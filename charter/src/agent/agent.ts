import type { Model } from "../delivery/model.ts";
import { checkOptions, isText, optional } from "../prompt/argument.ts";
import type { Store } from "../store/store.ts";
import type { Session } from "../store/turns/session.ts";
import type { Turn } from "../store/turns/turns.ts";
import { type AgentOptions, checkAgentOptions } from "./agent-options.ts";
import { agentPartsOf, givenModels } from "./agent-parts.ts";
import { type CompactInput, type CompactResult, compactSession } from "./compact-session.ts";
import { type NextRequest, type NextRequestInput, nextRequest } from "./next-request.ts";
import type { TurnOutcome } from "./outcome.ts";
import type { OutputOf, OutputSchema } from "./output/output-format.ts";
import type { SchemaInput, StandardSchema } from "./standard-schema.ts";
import type { NewSessionInput } from "./turn/live-session.ts";
import { type CallToolInput, type CallToolResult, callTool, runTurn } from "./turn/run-turn.ts";
import type { RunTurnOptions, TurnInput } from "./turn-input.ts";

/**
 * An agent that can take turns: a charter with a model, a store, tools and hooks. It keeps nothing in memory that
 * matters, so several processes may run the same agent.
 */
export type Agent<Context = unknown> = {
  readonly name: string;
  readonly model: Model;
  readonly store: Store;
  /** Takes one turn: a message in, model and tool calls as needed, an outcome out. */
  readonly runTurn: <Output extends OutputSchema = OutputSchema>(
    asked: TurnInput<Context, Output>,
    watching?: RunTurnOptions,
  ) => Promise<TurnOutcome<OutputOf<Output>>>;
  /** Calls one of its tools in its name, without a model. */
  readonly callTool: (asked: CallToolInput, about?: { readonly signal?: AbortSignal }) => Promise<CallToolResult>;
  /** Opens a new session: what was said before is not in it. The next turn that names none belongs to it. */
  readonly newSession: (asked: NewSessionInput) => Promise<Session>;
  /** Sums up a session's history now: the model goes on from its own notes. */
  readonly compact: (asked: CompactInput, watching?: Pick<RunTurnOptions, "signal" | "on">) => Promise<CompactResult>;
  /** The first request of the next turn, as it would be sent now. Nothing is sent or stored. */
  readonly nextRequest: (asked: NextRequestInput) => Promise<NextRequest>;
  /** Marks turns whose process has died as interrupted, and returns them. Done automatically before the first turn. */
  readonly recover: () => Promise<readonly Turn[]>;
};

/** Creates an agent. It is added to the store with its first turn, if it is not there yet. */
export function createAgent<Context extends StandardSchema = StandardSchema>(
  given: AgentOptions<Context>,
): Agent<SchemaInput<Context>> {
  checkAgentOptions(given);
  const models = givenModels(given.model);
  const { name, store, deps, prepared, recover } = agentPartsOf({ ...given, models, summarises: true }, "createAgent");
  const [model] = models;
  return {
    name,
    model,
    store,
    recover,
    runTurn: async <Output extends OutputSchema>(
      asked: TurnInput<SchemaInput<Context>, Output>,
      watching?: RunTurnOptions,
    ) => {
      await prepared();
      return runTurn(deps, asked, watching) as Promise<TurnOutcome<OutputOf<Output>>>;
    },
    callTool: async (asked, about) => {
      await prepared();
      return callTool(deps, asked, about);
    },
    newSession: async (asked) => {
      checkOptions<NewSessionInput>("newSession", asked, { user: aName, channel: aName });
      const { user, channel } = asked;
      await prepared();
      return deps.sessions.open({ agent: name, ...(user === undefined ? {} : { user }) }, channel);
    },
    compact: async (asked, watching) => {
      await prepared();
      return compactSession(deps, asked, watching);
    },
    nextRequest: (asked) => nextRequest(deps, asked),
  };
}

const aName = optional([isText, "Give a name."]);
