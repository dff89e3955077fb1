import { attachmentTokensOf } from "../delivery/attachments.ts";
import type { Model } from "../delivery/model.ts";
import { givenModel, type ModelLoader, modelLoader } from "../delivery/models/language.ts";
import { loadModel } from "../delivery/models/provider.ts";
import { loadReceiverTokenizer, type Receiver } from "../delivery/receiver.ts";
import { clockOf, isText, optional } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import { type AgentRecord, type CharterToKeep, charterRecordOf } from "../store/agents.ts";
import { scopeNamed } from "../store/scope.ts";
import type { Store } from "../store/store.ts";
import type { FoundSession } from "../store/turns/session.ts";
import type { Turn } from "../store/turns/turns.ts";
import { type AgentOptions, checkAgentOptions, type DeclareTurn, storeWithMeaning } from "./agent-options.ts";
import { attachmentSettingsOf } from "./attachments.ts";
import { declarationOf, withoutTools } from "./bare-declaration.ts";
import { type CompactInput, type CompactResult, compactSession } from "./compact-session.ts";
import type { Declaration } from "./declaration.ts";
import { limitsOf, sleep } from "./limits.ts";
import { type NextRequest, type NextRequestInput, nextRequest } from "./next-request.ts";
import type { OutputOf, OutputSchema, SchemaInput, StandardSchema } from "./schema.ts";
import { checkToolSections, createToolsets, type Toolset, toolList } from "./toolset.ts";
import { createAllowances } from "./turn/ask-reason.ts";
import { type CallToolInput, type CallToolResult, callTool } from "./turn/call-tool.ts";
import { createLiveSessions, type NewSessionInput, sessionSettingsOf } from "./turn/live-session.ts";
import { runTurn } from "./turn/run-turn.ts";
import { mayFollow, nameOf } from "./turn/seat.ts";
import { createComparison } from "./turn/second-user.ts";
import type { AgentDeps, ModelChoice } from "./turn/turn-state.ts";
import { createLearnedWindows } from "./turn/window.ts";
import { aUser, checkAsked, type RunTurnOptions, type TurnInput, type TurnOutcome } from "./turn-interface.ts";

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
  /** Opens a new session without the earlier conversation. The next turn that names no session belongs to it. */
  readonly newSession: (asked: NewSessionInput) => Promise<FoundSession>;
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
      checkAsked<NewSessionInput>("newSession", asked, { user: aUser, channel: optional([isText, "Give a name."]) });
      await prepared();
      return deps.sessions.open(scopeNamed(name, asked.user), asked.channel);
    },
    compact: async (asked, watching) => {
      await prepared();
      return compactSession(deps, asked, watching);
    },
    nextRequest: (asked) => nextRequest(deps, asked),
  };
}

/** The parts of an agent, the same whether Charter or a loop of your own asks its models. */
type AgentParts = {
  readonly name: string;
  readonly store: Store;
  readonly deps: AgentDeps;
  /** Adds the agent to the store and marks turns whose process has died. Done once. */
  readonly prepared: () => Promise<void>;
  readonly recover: () => Promise<readonly Turn[]>;
};

type PartsOptions = Omit<AgentOptions, "model"> & { readonly models: GivenModels; readonly summarises: boolean };

/** Makes the parts of an agent whose options are checked. */
export function agentPartsOf(given: PartsOptions, caller: string): AgentParts {
  const store = storeWithMeaning(given.store, given.memory, { env: process.env });
  const charter = typeof given.charter === "function" ? given.charter : declarationOf(given.charter);
  const name = given.name ?? (typeof charter === "function" ? undefined : charter.charter.name);
  if (typeof charter !== "function") {
    limitsOf(charter.limits);
    checkToolSections(charter.charter, toolList(given.tools));
  }
  if (name === undefined)
    throw new Problem(
      "agent-nameless",
      "An agent whose charter is declared anew each turn has no name.",
      "Give it one: { name }.",
    );
  const options = { ...given, store, charter };
  const recover = () => recoverTurns(name, store);
  let ready: Promise<unknown> | undefined;
  const prepared = async () => {
    ready ??= prepare(name, options, given.charter).then(recover);
    await ready.catch((error: unknown) => {
      ready = undefined;
      throw error;
    });
  };
  return { name, store, deps: agentDepsOf(name, options, caller), prepared, recover };
}

type GivenModels = readonly [Model, ...ModelChoice[]];

/** Reads the models. The first is there at once; others may be names, which are loaded when they are needed. */
function givenModels(given: AgentOptions["model"]): GivenModels {
  const [first, ...others] = Array.isArray(given) ? given : [given];
  const subject = "The model of an agent";
  const models = others.map((one) => (typeof one === "string" ? one : givenModel(one, subject)));
  const list: GivenModels = [givenModel(first, subject), ...models];
  const names = list.map(nameOf);
  const again = names.find((name, index) => names.indexOf(name) !== index);
  if (again !== undefined)
    throw new Problem("bad-model", `“${again}” is given twice as a model of an agent.`, "Give each model once.");
  const misplaced = models.find((one) => !mayFollow(one));
  if (misplaced !== undefined)
    throw new Problem(
      "bad-model",
      `“${nameOf(misplaced)}” is an agent over ACP, and comes after another model.`,
      "Put it first: it keeps the conversation itself, and cannot take over in the midst of a turn.",
    );
  return list;
}

function recoverTurns(name: string, store: Store): Promise<readonly Turn[]> {
  return store.turns.interruptAbandoned({ agent: name, isGone: isRunnerGone });
}

type DeclaredOptions = PartsOptions & { readonly charter: Declaration | DeclareTurn };

/** Adds an agent to the store with its first turn, if it is not there yet, and keeps its charter there as it is now. */
async function prepare(
  name: string,
  { store, models: [model, ...others] }: DeclaredOptions,
  charter: AgentOptions["charter"],
): Promise<void> {
  const before = await store.agents.find(name);
  if (typeof charter === "function") {
    if (!before) await store.agents.get(name);
    return;
  }
  if (before) return keepCharter(store, before, charter);
  try {
    const fallbacks = others.map(nameOf);
    await store.agents.add({ name, charter, model: model.receiver.name, fallbacks });
  } catch (error) {
    // Adding fails where another process was quicker, and then nothing is wrong.
    if (!(await store.agents.find(name))) throw error;
  }
}

/**
 * Keeps the current charter in the store, for those who look at the agent without its program. A charter of another name is the
 * operator's choice, and stays.
 */
async function keepCharter(
  store: Store,
  { name, charter: charterName }: AgentRecord,
  charter: CharterToKeep,
): Promise<void> {
  const now = charterRecordOf(charter);
  if (charterName !== now.charter.name) return;
  if (JSON.stringify(await store.agents.charterOf(name)) === JSON.stringify(now)) return;
  await store.agents.update(name, async (before) => ({ ...before, charter }));
}

const namedModel: ModelLoader = async (name) => loadModel(name, { env: process.env });

/** A receiver that takes no tools is offered none, and the prompt names none. */
const noTools = async (): Promise<Toolset> => ({ byName: new Map(), offers: [], lines: () => [], notices: [] });

function agentDepsOf(name: string, options: DeclaredOptions, caller: string): AgentDeps {
  const { charter, models, summarises, store, hooks = [], whenTainted = "hold", room = {}, operator = false } = options;
  const [first] = models;
  const clock = clockOf(caller, options.clock ?? (() => new Date()));
  const settings = sessionSettingsOf(options.sessions, caller);
  const { secondOpinion } = options;
  const toolsets = createToolsets(toolList(options.tools));
  limitsOf(options.limits);
  return {
    name,
    declare: async (turn, { takesTools }) => {
      const declared = typeof charter === "function" ? declarationOf(await charter(turn)) : charter;
      return takesTools === false ? withoutTools(declared) : declared;
    },
    toolsetFor: (declaration, { takesTools }) => (takesTools === false ? noTools() : toolsets(declaration)),
    tokenizerFor: createTokenizers(options.tokenizer),
    models,
    summarises,
    store,
    hooks,
    context: { schema: options.context, keep: options.keepContext ?? false },
    asked: { limits: options.limits, compactAt: options.compactAt, room, window: options.window },
    whenTainted,
    allowances: createAllowances(),
    attachments: attachmentSettingsOf(options.attachments, caller),
    secondOpinion: {
      model:
        secondOpinion === undefined || typeof secondOpinion === "string"
          ? secondOpinion
          : givenModel(secondOpinion, "The second opinion of an agent"),
      loadModel: modelLoader(options.loadModel ?? namedModel),
    },
    watcher: options.on,
    sessions: createLiveSessions({
      store,
      receiver: first.receiver,
      settings,
      operator,
      clock,
      recover: () => recoverTurns(name, store),
    }),
    across: settings.across ?? false,
    windows: createLearnedWindows(store, clock),
    clock,
    random: options.random ?? Math.random,
    operator,
    compareUsers: createComparison(),
    newSecret: () => process.getBuiltinModule("node:crypto").randomBytes(16).toString("hex"),
    sleep: options.sleep ?? sleep,
    runner: runnerName(),
  };
}

/** Makes a function that gives a receiver's tokenizer: the given one, or what the receiver counts with. Each is loaded once. */
function createTokenizers(given: Tokenizer | undefined): (receiver: Receiver) => Promise<Tokenizer> {
  const known = new Map<string, Promise<Tokenizer>>();
  return ({ name, tokenizer: receiverTokenizer }) => {
    const attachment = attachmentTokensOf(name);
    const tokenizer =
      known.get(name) ??
      (given
        ? Promise.resolve({ attachment, ...given })
        : loadReceiverTokenizer(receiverTokenizer).then((one) => ({ ...one, attachment })));
    known.set(name, tokenizer);
    return tokenizer;
  };
}

/** Names the process that runs a turn, so that on this machine it can be asked whether it still lives. */
export function runnerName(): string {
  const { hostname } = process.getBuiltinModule("node:os");
  const started = lifeOf(process.pid)?.started;
  const world = started === undefined ? undefined : worldOf();
  return [hostname(), process.pid, started, world].filter((part) => part !== undefined).join(":");
}

/**
 * Tells whether a runner is certainly gone: a process of this machine that is not there any more, or whose number another has by
 * now (in a container it is often the same one after every start). All others have until their lease ends, also those of other
 * containers, which may have this one's host name and number their processes as they like.
 */
export function isRunnerGone(runner: string): boolean {
  const { hostname } = process.getBuiltinModule("node:os");
  const [, host, pid, started, world] = /^([^:]*):(\d+)(?::(\d+)(?::(\d+))?)?$/.exec(runner) ?? [];
  if (host !== hostname() || pid === undefined) return false;
  if (world !== undefined && world !== worldOf()) return false;
  const life = lifeOf(Number(pid));
  if (life) return life.ended || (started !== undefined && started !== life.started);
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

type Life = { readonly started: string; readonly ended: boolean };

/** Returns when a process was started, and whether it has ended and only waits for its parent to notice. Only Linux says so. */
function lifeOf(pid: number): Life | undefined {
  try {
    const stat = process.getBuiltinModule("node:fs").readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state, started] = [fields[0], fields[19]];
    return started === undefined ? undefined : { started, ended: state === "Z" || state === "X" };
  } catch {
    return undefined;
  }
}

/** Names the namespace in which a process's number is unique: Linux counts processes anew in every container. */
function worldOf(): string | undefined {
  try {
    return /\d+/.exec(process.getBuiltinModule("node:fs").readlinkSync("/proc/self/ns/pid"))?.[0];
  } catch {
    return undefined;
  }
}
