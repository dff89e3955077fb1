import { attachmentTokensOf } from "../delivery/attachment-tokens.ts";
import type { Model } from "../delivery/model.ts";
import { givenModel, type ModelLoader, modelLoader } from "../delivery/models/given-model.ts";
import type { Receiver } from "../delivery/receiver.ts";
import { loadReceiverTokenizer } from "../delivery/receiver-tokenizer.ts";
import { clockOf } from "../prompt/argument.ts";
import { Problem } from "../prompt/problem.ts";
import type { Tokenizer } from "../prompt/tokens.ts";
import type { AgentRecord } from "../store/agents.ts";
import { type CharterToKeep, charterRecordOf } from "../store/charter-record.ts";
import type { Store } from "../store/store.ts";
import type { Turn } from "../store/turns/turns.ts";
import type { AgentOptions, DeclareTurn } from "./agent-options.ts";
import { attachmentSettingsOf } from "./attachments/attachment-settings.ts";
import { declarationOf, withoutTools } from "./bare-declaration.ts";
import type { Declaration } from "./declaration.ts";
import { limitsOf } from "./limits.ts";
import { isRunnerGone, runnerName } from "./runner.ts";
import { sleep } from "./timeout.ts";
import { toolList } from "./tool-list.ts";
import { storeWithMeaning } from "./tools/memory-options.ts";
import { checkToolSections, createToolsets, type Toolset } from "./toolset.ts";
import { createAllowances } from "./turn/ask-reason.ts";
import { createLiveSessions, sessionSettingsOf } from "./turn/live-session.ts";
import { mayFollow, nameOf } from "./turn/seat.ts";
import type { AgentDeps, ModelChoice } from "./turn/turn-state.ts";
import { createLearnedWindows } from "./turn/window.ts";

/** What an agent is made of, whoever asks its models. */
type AgentParts = {
  readonly name: string;
  readonly store: Store;
  readonly deps: AgentDeps;
  /** The agent is in the store, and turns whose process has died are marked. Done once. */
  readonly prepared: () => Promise<void>;
  readonly recover: () => Promise<readonly Turn[]>;
};

type PartsOptions = Omit<AgentOptions, "model"> & { readonly models: GivenModels; readonly summarises: boolean };

/** The parts of an agent whose options are checked. */
export function agentPartsOf(given: PartsOptions, by: string): AgentParts {
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
  return { name, store, deps: agentDepsOf(name, options, by), prepared, recover };
}

type GivenModels = readonly [Model, ...ModelChoice[]];

/** The first is there at once; others may be names, which are loaded when they are needed. */
export function givenModels(given: AgentOptions["model"]): GivenModels {
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

type DeclaredOptions = PartsOptions & { readonly charter: Declaration | DeclareTurn };

/** An agent that is in no store yet is added to it with its first turn, and its charter is kept there as it is now. */
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
    // Another process was quicker.
    if (!(await store.agents.find(name))) throw error;
  }
}

/** Whoever looks at the agent without its program sees the charter it has now. One of another name is the operator's choice. */
async function keepCharter(
  store: Store,
  { name, charter: called }: AgentRecord,
  charter: CharterToKeep,
): Promise<void> {
  const now = charterRecordOf(charter);
  if (called !== now.charter.name) return;
  if (JSON.stringify(await store.agents.charterOf(name)) === JSON.stringify(now)) return;
  await store.agents.update(name, async (before) => ({ ...before, charter }));
}

const namedModel: ModelLoader = async (name) =>
  (await import("../delivery/models/provider.ts")).loadModel(name, { env: process.env });

/** A receiver that takes no tools is offered none, and the prompt names none. */
const noTools = async (): Promise<Toolset> => ({ byName: new Map(), offers: [], lines: () => [] });

function agentDepsOf(name: string, options: DeclaredOptions, by: string): AgentDeps {
  const { charter, models, summarises, store, hooks = [], whenTainted = "hold", room = {} } = options;
  const [first] = models;
  const clock = clockOf(by, options.clock ?? (() => new Date()));
  const settings = sessionSettingsOf(options.sessions, by);
  const { secondOpinion: adviser } = options;
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
    attachments: attachmentSettingsOf(options.attachments, by),
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
