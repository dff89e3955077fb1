import { withMemory } from "../../agent/bare-declaration.ts";
import { needsFiles } from "../../agent/declaration.ts";
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
import { agentQuery } from "../../operations/prompt/agent-query.ts";
import { Problem } from "../../prompt/problem.ts";
import type { Config, ConfigValues } from "../../server/config.ts";
import { withoutChainKey } from "../../sources/core-memory/key-source.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { Store } from "../../store/store.ts";
import { checkNoDirectory } from "./prompt-options.ts";
import { defaultDatabase, type StoreValues, userAtTerminal, withStore } from "./store.ts";
import { type Here, isUntrusted } from "./trust/here.ts";
import { checkCharterFile, trustedAgent } from "./trust/trusted-database.ts";

type ConfigHere = Config & Required<Pick<Config, "database" | "operator" | "zone">>;

/** What holds for turns here: the configuration, over it the environment, over that what was named with the command. */
export async function configIn(here: Here, named: ConfigValues): Promise<ConfigHere> {
  const { configurationOf } = await import("../../server/config.ts");
  const config = configurationOf((await here.settings()) ?? {}, await here.environment(), named);
  return { database: defaultDatabase, operator: userAtTerminal(), zone: localZone(), ...config };
}

type HostValues = {
  /** The charter's file, where whoever asks has named it: what they name is theirs. Others are run only if trusted. */
  readonly charter?: string | undefined;
  readonly lock?: string | undefined;
};

/**
 * Who runs the agents of a command. Without a `config` from `configIn`, settings that are not trusted say nothing; no
 * model is asked while they wait for that.
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

/** Whoever needs one of these is told that the configuration is not trusted. */
function whenNeeded({ setting }: Here) {
  return { keys: () => setting("keys"), acp: () => setting("acp"), mcp: () => setting("mcp") };
}

export type AgentValues = {
  readonly agent: string;
  readonly here: Here;
  readonly user?: string | undefined;
  readonly channel?: string | undefined;
  /** Facts of this turn that no store keeps: the time, the tools. */
  readonly input?: string | undefined;
  readonly lock?: string | undefined;
  /** The charter's file, where whoever asks has named it: what they name is theirs. */
  readonly charter?: string | undefined;
};

type TurnValues = Omit<AgentValues, "here"> & StoreValues & DirectoryValues;

/** The same for a command that only looks: the store is closed when it is loaded. */
export async function agentDeclaredTurn(given: TurnValues): Promise<CountedTurn> {
  return withStore(given, async (store, here) => {
    const values = { ...given, here };
    const { agent, declaration } = await trustedAgent(await store.agents.get(values.agent), store, values);
    if (values.input === undefined && needsFiles(declaration))
      return (await import("./directory.ts")).givenOfDirectory(directoryOf(agent, values), declaration);
    checkNoDirectory(values, `“${agent.name}” reads none`);
    const host = await hostOf(store, here, values);
    try {
      const query = agentQuery(values);
      const { declaredTurn } = await host.snapshot(query);
      const told = values.input === undefined ? await asServed(host, declaredTurn, query) : declaredTurn;
      return withModelNotice(await withCoreRead(told, host, agent), agent, host.models);
    } finally {
      await host.close(0);
    }
  });
}

/** A turn to look at, and by which tokenizer its model counts. */
export type CountedTurn = FittedTurn & { readonly counts?: Receiver["tokenizer"] };

/** With the tools, the edition and the tokenizer that a server would use: the same prompt has the same tokens there. */
async function asServed(host: Host, given: DeclaredTurn, query: SnapshotQuery): Promise<CountedTurn> {
  if (given.served === false) return given;
  try {
    const { declaredTurn, receiver, toolTokens } = await host.look(query);
    const { charter, turn } = declaredTurn;
    const { tools } = turn;
    const within = { window: receiver.window, toolTokens };
    return { ...given, charter, within, turn: { ...turn, ...given.turn, tools }, counts: receiver.tokenizer };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const message = `The prompt is shown without the tools of its model: ${error.message} ${error.hint}`;
    return { ...given, notices: [...given.notices, { code: error.code, message }] };
  }
}

/** Only for a name nobody knows: a key that is not set here may be set where its turns are taken. */
function withModelNotice(given: CountedTurn, { model }: AgentRecord, models: ModelTable): CountedTurn {
  if (model === null || model.startsWith("acp/")) return given;
  try {
    return { counts: receiverNamed(model, models).tokenizer, ...given };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ...given, notices: [...given.notices, modelNotice(error)] };
  }
}

/** A core memory is read while the store is open: what was seen of it is noted there. */
async function withCoreRead(given: CountedTurn, host: Host, { name }: AgentRecord): Promise<CountedTurn> {
  const memory = given.memory && (await host.coreMemory(name));
  if (!memory) return given;
  const reading = await memory.source(given.turn);
  return withMemory(given, { ...memory, source: () => reading });
}

/**
 * Its directory: as was said now, else as it was set up, else here. Where the user's own files and their word on trust
 * are, a database never says: it may have come with the project.
 */
export function directoryOf<Values extends DirectoryValues>({ settings }: AgentRecord, values: Values): Values {
  const set = (name: "cwd" | "config") =>
    values[name] === undefined && typeof settings[name] === "string" ? { [name]: settings[name] } : {};
  const tools = values.tools === undefined && Array.isArray(settings.tools) ? { tools: settings.tools.join(",") } : {};
  return { ...values, ...set("cwd"), ...set("config"), ...tools };
}
