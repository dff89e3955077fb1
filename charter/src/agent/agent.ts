import { attachmentTokensOf } from "../delivery/attachment-tokens.ts";
import type { Model } from "../delivery/model.ts";
import { givenModel, type ModelLoader, modelLoader } from "../delivery/models/given-model.ts";
import type { Receiver } from "../delivery/receiver.ts";
import { loadReceiverTokenizer } from "../delivery/receiver-tokenizer.ts";
import { checkNames, checkOptions, clockOf, isText, optional } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import type { Store } from "../store/store.ts";
import type { Session } from "../store/turns/session.ts";
import type { Turn } from "../store/turns/turns.ts";
import { type AgentOptions, checkAgentOptions, type DeclareTurn } from "./agent-options.ts";
import { attachmentSettingsOf } from "./attachments/attachment-settings.ts";
import { declarationOf, withoutTools } from "./bare-declaration.ts";
import type { Declaration } from "./declaration.ts";
import { limitsOf } from "./limits.ts";
import type { TurnOutcome } from "./outcome.ts";
import type { OutputOf, OutputSchema } from "./output/output-format.ts";
import { sleep } from "./sleep.ts";
import type { SchemaInput, StandardSchema } from "./standard-schema.ts";
import { toolList } from "./tool-list.ts";
import { storeWithMeaning } from "./tools/memory-options.ts";
import { checkToolSections, createToolsets, type Toolset } from "./toolset.ts";
import { createAllowances } from "./turn/asking/allowance.ts";
import { type CallToolInput, type CallToolResult, callTool } from "./turn/call-tool.ts";
import type { NewSessionInput } from "./turn/live-session.ts";
import { createLiveSessions } from "./turn/live-session.ts";
import { runTurn } from "./turn/run-turn.ts";
import { isRunnerGone, runnerName } from "./turn/runner.ts";
import { type CompactInput, type CompactResult, compactSession } from "./turn/session/compact-session.ts";
import { mayFollow, nameOf } from "./turn/session/failover.ts";
import { type NextRequest, type NextRequestInput, nextRequest } from "./turn/session/next-request.ts";
import { sessionSettingsOf } from "./turn/session/session-settings.ts";
import type { AgentDeps, ModelChoice } from "./turn/turn-state.ts";
import { createLearnedWindows } from "./turn/window/learned-windows.ts";
import { withWindow } from "./turn/window/window.ts";
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
  const options = { ...given, store: storeWithMeaning(given.store, given.memory, { env: process.env }) };
  const { store } = options;
  const [model, ...fallbacks] = givenModels(options.model);
  const charter = typeof options.charter === "function" ? options.charter : declarationOf(options.charter);
  const name = options.name ?? (typeof charter === "function" ? undefined : charter.charter.name);
  if (typeof charter !== "function") {
    limitsOf(charter.limits);
    checkToolSections(charter.charter, toolList(options.tools));
  }
  if (name === undefined)
    throw new Problem(
      "agent-nameless",
      "An agent whose charter is declared anew each turn has no name.",
      "Give it one: { name }.",
    );
  const recover = () => recoverTurns(name, store);
  let ready: Promise<unknown> | undefined;
  const prepared = async () => {
    ready ??= prepare(name, { ...options, charter, model: [model, ...fallbacks] }).then(recover);
    await ready.catch((error: unknown) => {
      ready = undefined;
      throw error;
    });
  };
  const deps = agentDepsOf(name, { ...options, charter, model: [model, ...fallbacks] });
  return {
    name,
    model,
    store,
    recover,
    runTurn: async <Output extends OutputSchema>(
      asked: TurnInput<SchemaInput<Context>, Output>,
      watching?: RunTurnOptions,
    ) => {
      checkNames<RunTurnOptions>("runTurn", watching ?? {}, ["on", "signal", "approve", "ask"]);
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

type GivenModels = readonly [Model, ...ModelChoice[]];

/** The first is there at once; others may be names, which are loaded when they are needed. */
function givenModels(given: AgentOptions["model"]): GivenModels {
  const [first, ...others] = Array.isArray(given) ? given : [given];
  const whose = "The model of an agent";
  const models = others.map((one) => (typeof one === "string" ? one : givenModel(one, whose)));
  const list: GivenModels = [givenModel(first, whose), ...models];
  const names = list.map(nameOf);
  const again = names.find((name, index) => names.indexOf(name) !== index);
  if (again !== undefined)
    throw new Problem("bad-model", `“${again}” is given twice as a model of an agent.`, "Give each model once.");
  const late = models.find((one) => !mayFollow(one));
  if (late !== undefined)
    throw new Problem(
      "bad-model",
      `“${nameOf(late)}” is an agent over ACP, and comes after another model.`,
      "Put it first: it keeps the conversation itself, and cannot take over in the midst of a turn.",
    );
  return list;
}

function recoverTurns(name: string, store: Store): Promise<readonly Turn[]> {
  return store.turns.interruptAbandoned({ agent: name, isGone: isRunnerGone });
}

type DeclaredOptions = AgentOptions & { readonly charter: Declaration | DeclareTurn; readonly model: GivenModels };

/** An agent that is in no store yet is added to it with its first turn. */
async function prepare(name: string, { store, charter, model: [model, ...others] }: DeclaredOptions): Promise<void> {
  if (await store.agents.find(name)) return;
  if (typeof charter === "function") {
    await store.agents.get(name);
    return;
  }
  try {
    const fallbacks = others.map(nameOf);
    await store.agents.add({ name, charter: charter.charter.name, model: model.receiver.name, fallbacks });
  } catch (error) {
    // Another process was quicker.
    if (!(await store.agents.find(name))) throw error;
  }
}

const namedModel: ModelLoader = async (name) =>
  (await import("../delivery/models/provider.ts")).loadModel(name, { env: process.env });

/** A receiver that takes no tools is offered none, and the prompt names none. */
const noTools = async (): Promise<Toolset> => ({ byName: new Map(), offers: [], lines: () => [] });

function agentDepsOf(name: string, options: DeclaredOptions): AgentDeps {
  const { charter, model: models, store, hooks = [], whenTainted = "hold", room = {} } = options;
  const [first] = models;
  const clock = clockOf("createAgent", options.clock ?? (() => new Date()));
  const settings = sessionSettingsOf(options.sessions, "createAgent");
  const { secondOpinion: adviser } = options;
  const toolsets = createToolsets(toolList(options.tools));
  const tokenizers = createTokenizers(options.tokenizer);
  const partsFor: AgentDeps["partsFor"] = (model) => ({
    model,
    declare: async (turn) => {
      const declared = typeof charter === "function" ? declarationOf(await charter(turn)) : charter;
      return model.receiver.takesTools === false ? withoutTools(declared) : declared;
    },
    toolsetFor: model.receiver.takesTools === false ? noTools : toolsets,
    tokenizer: () => tokenizers(model.receiver),
  });
  const deps: AgentDeps = {
    name,
    ...partsFor(first),
    models,
    next: [],
    partsFor,
    store,
    hooks,
    limits: limitsOf(options.limits),
    context: { schema: options.context, keep: options.keepContext ?? false },
    asked: { limits: options.limits, compactAt: options.compactAt, room, window: options.window },
    whenTainted,
    allowances: createAllowances(),
    attachments: attachmentSettingsOf(options.attachments, "createAgent"),
    room,
    compactAt: options.compactAt ?? Number.POSITIVE_INFINITY,
    secondOpinion: {
      model:
        adviser === undefined || typeof adviser === "string"
          ? adviser
          : givenModel(adviser, "The second opinion of an agent"),
      loadModel: modelLoader(options.loadModel ?? namedModel),
    },
    watcher: options.on,
    sessions: createLiveSessions({
      store,
      receiver: first.receiver,
      settings,
      clock,
      recover: () => recoverTurns(name, store),
    }),
    across: settings.across ?? false,
    windows: createLearnedWindows(store, clock),
    clock,
    random: options.random ?? Math.random,
    operator: options.operator ?? false,
    newSecret: () => process.getBuiltinModule("node:crypto").randomBytes(16).toString("hex"),
    sleep: options.sleep ?? sleep,
    runner: runnerName(),
  };
  return withWindow(deps, options.window ?? first.receiver.window);
}

/** Those that were given, or what each receiver counts with; each is loaded once. */
function createTokenizers(given: Tokenizer | undefined): (receiver: Receiver) => Promise<Tokenizer> {
  const known = new Map<string, Promise<Tokenizer>>();
  return ({ name, tokenizer: counted }) => {
    const attachment = attachmentTokensOf(name);
    const found =
      known.get(name) ??
      (given
        ? Promise.resolve({ attachment, ...given })
        : loadReceiverTokenizer(counted).then((one) => ({ ...one, attachment })));
    known.set(name, found);
    return found;
  };
}
