import type { Scope } from "../amend/amendment.ts";
import { factsOf } from "../charters/facts.ts";
import type { Given } from "../charters/given.ts";
import { Problem } from "../prompt/problem.ts";
import type { Agent } from "../store/agents.ts";
import type { Note } from "../store/memory.ts";
import { checkScope } from "../store/scope.ts";
import type { Store } from "../store/store.ts";
import { believedAgent, checkCharterFile } from "./believed.ts";
import { readJson } from "./input.ts";
import { compareLock, loadCharter, withUnknown } from "./load.ts";
import { checkNoDirectory, type DirectoryValues } from "./options.ts";
import { type StoreValues, withStore } from "./store.ts";

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
export async function loadAgent(
  store: Store,
  values: AgentValues,
): Promise<{ given: Given; scope: Scope; agent: Agent }> {
  const agent = await store.agents.get(values.agent);
  if (values.charter !== agent.charter) await checkCharterFile(store, agent);
  const told = values.input === undefined ? {} : turnOnly(readJson(values.input, "facts file"));
  const user = values.user ?? (typeof told.user === "string" ? told.user : undefined);
  const scope: Scope = { agent: agent.name, ...(user === undefined ? {} : { user }) };
  checkScope(scope);
  const zone = user === undefined ? undefined : (await store.users.find(user))?.zone;
  const facts = factsOf({
    ...agent.settings,
    ...(await liveFacts(store, agent)),
    ...(zone ? { zone } : {}),
    ...told,
    ...scope,
    ...(values.channel === undefined ? {} : { channel: values.channel }),
  });
  const given = withUnknown(
    (await loadCharter(agent.charter))(facts, () => new Date()),
    facts,
  );
  await compareLock(given.charter, values.lock ?? "charter.lock", values.lock !== undefined);
  const standing = await store.standings.read(given.charter, scope, given.fault);
  return { agent, scope, given: { ...given, turn: { ...given.turn, standing } } };
}

/** The same for a command that only looks: the store is closed when it is loaded. */
export async function givenOfAgent(values: AgentValues & StoreValues & DirectoryValues): Promise<Given> {
  return withStore(values, async (store) => {
    const agent = await believedAgent(await store.agents.get(values.agent), store, values);
    if (values.input === undefined && readsFiles(agent))
      return (await import("./directory-given.ts")).givenOfDirectory(directoryOf(agent, values));
    checkNoDirectory(values, `“${agent.name}” reads none`);
    return (await loadAgent(store, values)).given;
  });
}

/** A coding agent whose settings tell it of no files reads those of a directory. */
export function readsFiles({ charter, settings }: Pick<Agent, "charter" | "settings">): boolean {
  return (
    charter === "coder" && !["system", "append", "context", "skills"].some((name) => Object.hasOwn(settings, name))
  );
}

/**
 * Its directory: as was said now, else as it was set up, else here. Where the user's own files and their word on trust
 * are, a database never says: it may have come with the project.
 */
export function directoryOf<Values extends DirectoryValues>({ settings }: Agent, values: Values): Values {
  const set = (name: "cwd" | "config") =>
    values[name] === undefined && typeof settings[name] === "string" ? { [name]: settings[name] } : {};
  const tools = values.tools === undefined && Array.isArray(settings.tools) ? { tools: settings.tools.join(",") } : {};
  return { ...values, ...set("cwd"), ...set("config"), ...tools };
}

/** Facts that come with an agent tell of one turn; its words are in the store, and nobody else's are put in their place. */
function turnOnly(facts: unknown): Readonly<Record<string, unknown>> {
  const told = factsOf(facts).value as Record<string, unknown>;
  const standing = wordsThatStand(told);
  if (standing.length === 0) return told;
  throw new Problem(
    "bad-facts",
    `The facts hold “${standing.join("”, “")}”, but what stands for an agent is in the database.`,
    "Take it out, or give --charter instead of --agent.",
  );
}

function wordsThatStand(facts: object): string[] {
  return ["standing", "revisions", "identity"].filter((name) => Object.hasOwn(facts, name));
}

/** What a sovereign's layer 10 is made of, where it has any of it: messages that wait, and with whom it spoke. */
async function liveFacts(store: Store, { name }: Agent): Promise<object> {
  const inbox = await store.inbox.list(name, "waiting", { limit: 1000 });
  const senders = [...new Set(inbox.map(({ sender }) => sender))];
  const logs = await Promise.all(
    senders.map(async (sender) => [sender, (await store.conversations.read(name, sender))?.exchanges ?? []] as const),
  );
  const notes = await store.memory.list({ agent: name }, { limit: 20 });
  return {
    ...(inbox.length === 0 ? {} : { inbox: inbox.map(({ id, sender, body }) => ({ id, sender, body })) }),
    ...(senders.length === 0 ? {} : { conversations: Object.fromEntries(logs) }),
    ...(notes.length === 0 ? {} : { memory: notes.map(noteFact) }),
  };
}

function noteFact({ id, key, words, tainted }: Note) {
  return { key: key ?? id, value: words, tainted };
}

/** Settings an agent is given are originals and facts; words that stand come by amendments only. */
export function checkSettings(settings: unknown): Readonly<Record<string, unknown>> {
  if (typeof settings !== "object" || settings === null || Array.isArray(settings))
    throw new Problem(
      "bad-settings",
      "An agent's settings are a JSON object.",
      "See docs/facts.md for what it may say.",
    );
  const standing = wordsThatStand(settings);
  if (standing.length > 0)
    throw new Problem(
      "bad-settings",
      `The settings hold “${standing.join("”, “")}”: words that stand are changed by amendments, not by settings.`,
      'Give what a section is born with as "original", or use `charter amend`.',
    );
  return settings as Record<string, unknown>;
}
