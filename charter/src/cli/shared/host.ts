import { withMemory } from "../../agent/bare-declaration.ts";
import { needsFiles } from "../../agent/declaration.ts";
import type { Scope } from "../../amend/amendment.ts";
import { localZone } from "../../charters/clock.ts";
import type { DeclaredTurn } from "../../charters/declared-turn.ts";
import type { ModelTable } from "../../delivery/models/model-entry.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import { createHost } from "../../host/create-host.ts";
import type { Host, SnapshotQuery } from "../../host/host.ts";
import { turnSettingsIn } from "../../host/host-options.ts";
import { receiverNamed } from "../../host/models/host-models.ts";
import { modelNotice } from "../../host/models/model-names.ts";
import type { FittedTurn } from "../../host/preview.ts";
import type { DirectoryValues } from "../../operations/field.ts";
import type { TypedInput } from "../../operations/only-one.ts";
import { agentQuery } from "../../operations/prompt/agent-query.ts";
import { defined } from "../../prompt/argument.ts";
import { rethrowUnlessProblem } from "../../prompt/problem.ts";
import type { Config, ConfigValues } from "../../server/config.ts";
import { withoutChainKey } from "../../sources/core-memory/key-source.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { Store } from "../../store/store.ts";
import { checkNoDirectory } from "./prompt-options.ts";
import { defaultDatabase, type StoreValues, userAtTerminal, withStore } from "./store.ts";
import { type Here, isUntrusted } from "./trust/here.ts";
import { checkCharterFile, trustedAgent } from "./trust/trusted-database.ts";

type ConfigHere = Config & Required<Pick<Config, "database" | "operator" | "zone">>;

/** Combines settings for turns here: the environment overrides the configuration, and options override both. */
export async function configIn(here: Here, named: ConfigValues): Promise<ConfigHere> {
  const { configurationOf } = await import("../../server/config.ts");
  const config = configurationOf((await here.settings()) ?? {}, await here.environment(), named);
  return { database: defaultDatabase, operator: userAtTerminal(), zone: localZone(), ...config };
}

type HostValues = {
  /** Charter file that was named on the command line, which counts as trusted. Others are run only if they are trusted. */
  readonly charter?: string | undefined;
  readonly lock?: string | undefined;
};

/**
 * Creates the host of a command's agents. Without a `config` from `configIn`, settings that are not trusted are ignored, and no
 * model is asked while they wait for that decision.
 */
export async function hostOf(
  store: Store,
  here: Here,
  { charter, lock }: HostValues = {},
  config?: Config,
): Promise<Host> {
  return createHost({
    store,
    ...turnSettingsIn(config ?? { ...(await configIn(here, {}).catch(isUntrusted)), ...whenNeeded(here) }),
    ...(lock === undefined ? {} : { lock }),
    env: withoutChainKey(await here.environment()),
    checkCharter: async (agent) => (agent.charter === charter ? undefined : checkCharterFile(store, agent)),
    checkModel: here.check,
  });
}

/** Settings that are read on use: if they are not trusted, that is reported then. */
function whenNeeded({ setting }: Here) {
  return {
    sources: () => setting("sources"),
    keys: () => setting("keys"),
    acp: () => setting("acp"),
    mcp: () => setting("mcp"),
  };
}

export type AgentValues = {
  readonly agent: string;
  readonly here: Here;
  readonly user?: string | undefined;
  readonly channel?: string | undefined;
  /** File with facts of this turn that are not stored: the time, the tools. */
  readonly input?: string | undefined;
  readonly lock?: string | undefined;
  /** Charter file that was named on the command line, which counts as trusted. */
  readonly charter?: string | undefined;
};

type TurnValues = Omit<AgentValues, "here" | "agent"> & StoreValues & DirectoryValues;

/** Declares an agent's next turn for a command that only shows it: the store is closed afterwards. */
export async function agentDeclaredTurn(given: TurnValues, typed: TypedInput): Promise<CountedTurn> {
  return withStore(given, async (store, here) => {
    const { withOnlyOnes } = await import("../../operations/only-one.ts");
    const values = { ...given, ...((await withOnlyOnes(store, typed)) as Pick<AgentValues, "agent" | "user">), here };
    const { agent, declaration } = await trustedAgent(await store.agents.get(values.agent), store, values);
    const scope = { agent: agent.name, ...defined({ user: values.user }) };
    if (values.input === undefined && needsFiles(declaration)) {
      const { givenOfDirectory } = await import("./directory.ts");
      return { ...(await givenOfDirectory(directoryOf(agent, values), declaration)), scope };
    }
    checkNoDirectory(values, `“${agent.name}” reads none`);
    const host = await hostOf(store, here, values);
    try {
      const query = agentQuery(values);
      const { declaredTurn } = await host.snapshot(query);
      const turn = values.input === undefined ? await asServed(host, declaredTurn, query) : declaredTurn;
      return { ...withModelNotice(await withCoreRead(turn, host, agent), agent, host.models), scope };
    } finally {
      await host.close(0);
    }
  });
}

/** A turn to show, the tokenizer of its model, and whose it is if it is an agent's. */
export type CountedTurn = FittedTurn & { readonly counts?: Receiver["tokenizer"]; readonly scope?: Scope };

/** Adds the tools, the edition and the tokenizer that a server would use, so that the prompt has the same tokens there. */
async function asServed(host: Host, given: DeclaredTurn, query: SnapshotQuery): Promise<CountedTurn> {
  if (given.served === false) return given;
  try {
    const { declaredTurn, receiver, toolTokens } = await host.look(query);
    const { charter, turn } = declaredTurn;
    const { tools } = turn;
    const within = { window: receiver.window, toolTokens };
    return { ...given, charter, within, turn: { ...turn, ...given.turn, tools }, counts: receiver.tokenizer };
  } catch (error) {
    rethrowUnlessProblem(error);
    const message = `The prompt is shown without the tools of its model: ${error.message} ${error.hint}`;
    return { ...given, notices: [...given.notices, { code: error.code, message }] };
  }
}

/** Adds a notice about an unknown model. A missing key is none: it may be set where the turns are taken. */
function withModelNotice(given: CountedTurn, { model }: AgentRecord, models: ModelTable): CountedTurn {
  if (model === null || model.startsWith("acp/")) return given;
  try {
    return { counts: receiverNamed(model, models).tokenizer, ...given };
  } catch (error) {
    rethrowUnlessProblem(error);
    return { ...given, notices: [...given.notices, modelNotice(error)] };
  }
}

/** Reads the core memory while the store is open, which records what was seen. */
async function withCoreRead(given: CountedTurn, host: Host, { name }: AgentRecord): Promise<CountedTurn> {
  const memory = given.memory && (await host.coreMemory(name));
  if (!memory) return given;
  const reading = await memory.source(given.turn);
  return withMemory(given, { ...memory, source: () => reading });
}

/**
 * Directory of an agent: by the options, else by its settings, else the current one. A database never says where the user's own
 * files and record of trust are: it may have come with the project.
 */
export function directoryOf<Values extends DirectoryValues>({ settings }: AgentRecord, values: Values): Values {
  const set = (name: "cwd" | "config") =>
    values[name] === undefined && typeof settings[name] === "string" ? { [name]: settings[name] } : {};
  const tools = values.tools === undefined && Array.isArray(settings.tools) ? { tools: settings.tools.join(",") } : {};
  return { ...values, ...set("cwd"), ...set("config"), ...tools };
}
