import { withMemory } from "../../agent/bare-declaration.ts";
import type { DeclaredTurn } from "../../charters/declared-turn.ts";
import { factsOf } from "../../charters/facts.ts";
import type { Receiver } from "../../delivery/receiver.ts";
import { isCharterFile } from "../../host/load.ts";
import type { FittedTurn } from "../../host/preview.ts";
import { standingFields } from "../../host/settings.ts";
import { type AgentSnapshot, needsFiles, snapshotAgent } from "../../host/snapshot.ts";
import { Problem } from "../../prompt/problem.ts";
import { readJson } from "../../sources/input-file.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { Store } from "../../store/store.ts";
import { checkNoDirectory, type DirectoryValues } from "./options.ts";
import { type StoreValues, withStore } from "./store.ts";
import { checkCharterFile, trustedAgent } from "./trusted-database.ts";

export type AgentValues = {
  readonly agent: string;
  readonly user?: string | undefined;
  readonly channel?: string | undefined;
  /** Facts of this turn that no store keeps: the time, the tools. */
  readonly input?: string | undefined;
  readonly lock?: string | undefined;
  /** The charter's file, where whoever asks has named it: what they name is theirs. */
  readonly charter?: string | undefined;
};

/** An agent of the store as it is now: its charter, its settings, its standing words, for one user where there is one. */
export async function loadAgent(store: Store, values: AgentValues): Promise<AgentSnapshot> {
  const agent = await store.agents.get(values.agent);
  if (values.charter !== agent.charter) await checkCharterFile(store, agent);
  const facts = values.input === undefined ? {} : checkTurnFacts(readJson(values.input, "facts file"));
  const user = values.user ?? (typeof facts.user === "string" ? facts.user : undefined);
  const { channel, lock } = values;
  // Most agents have no core memory, and do without what one is read with.
  const mayRemember = agent.settings.memory !== undefined || isCharterFile(agent.charter);
  const withMemory = mayRemember ? (await (await import("./config-keys.ts")).memoriesIn(store)).give : undefined;
  return snapshotAgent(store, { agent, user, channel, facts, lock, withMemory });
}

/** The same for a command that only looks: the store is closed when it is loaded. */
export async function agentDeclaredTurn(values: AgentValues & StoreValues & DirectoryValues): Promise<CountedTurn> {
  return withStore(values, async (store) => {
    const { agent, declaration } = await trustedAgent(await store.agents.get(values.agent), store, values);
    if (values.input === undefined && needsFiles(declaration))
      return (await import("./directory-turn.ts")).givenOfDirectory(directoryOf(agent, values), declaration);
    checkNoDirectory(values, `“${agent.name}” reads none`);
    const { declaredTurn } = await loadAgent(store, values);
    const { input, charter } = values;
    const told =
      input === undefined && charter === undefined ? await asServed(store, declaredTurn, values) : declaredTurn;
    return withModelNotice(await withCoreRead(told, store), agent);
  });
}

/** A turn to look at, and by which tokenizer its model counts. */
export type CountedTurn = FittedTurn & { readonly counts?: Receiver["tokenizer"] };

/** With the tools, the edition and the tokenizer that a server would use: the same prompt has the same tokens there. */
async function asServed(
  store: Store,
  given: DeclaredTurn,
  { agent, user, channel }: AgentValues,
): Promise<CountedTurn> {
  if (given.served === false) return given;
  const { hostOf } = await import("./inbox-agent.ts");
  const host = await hostOf(store);
  try {
    const { declaredTurn, receiver, toolTokens } = await host.look({ agent, user, channel });
    const { charter, turn } = declaredTurn;
    const { tools } = turn;
    const within = { window: receiver.window, toolTokens };
    return { ...given, charter, within, turn: { ...turn, ...given.turn, tools }, counts: receiver.tokenizer };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const message = `The prompt is shown without the tools of its model: ${error.message} ${error.hint}`;
    return { ...given, notices: [...given.notices, { code: error.code, message }] };
  } finally {
    await host.close(0);
  }
}

/** Only for a name nobody knows: a key that is not set here may be set where its turns are taken. */
async function withModelNotice(given: CountedTurn, { model }: AgentRecord): Promise<CountedTurn> {
  if (model === null || model.startsWith("acp/")) return given;
  const [{ receiverNamed }, { modelNotice }, { modelTable }] = await Promise.all([
    import("../../host/quote.ts"),
    import("../../host/models/model-notice.ts"),
    import("./models.ts"),
  ]);
  try {
    const { tokenizer } = receiverNamed(model, await modelTable());
    return { counts: tokenizer, ...given };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ...given, notices: [...given.notices, modelNotice(error)] };
  }
}

/** A core memory is read while the store is open: what was seen of it is noted there. */
async function withCoreRead(given: CountedTurn, store: Store): Promise<CountedTurn> {
  const { memory: place, turn } = given;
  if (!place) return given;
  const { memoriesIn } = await import("./config-keys.ts");
  const memory = (await memoriesIn(store)).of({ name: turn.agent ?? "" }, place);
  const reading = await memory.source(turn);
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

/** Facts that come with an agent tell of one turn; its words are in the store, and nobody else's are put in their place. */
function checkTurnFacts(facts: unknown): Readonly<Record<string, unknown>> {
  const told = factsOf(facts).value as Record<string, unknown>;
  const standing = standingFields(told);
  if (standing.length === 0) return told;
  throw new Problem(
    "bad-facts",
    `The facts contain “${standing.join("”, “")}”, but an agent's current texts are in the database.`,
    "Take it out, or give --charter instead of --agent.",
  );
}
