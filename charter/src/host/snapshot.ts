import type { Scope } from "../amend/amendment.ts";
import type { Channels } from "../charters/assistant/assistant.ts";
import type { DeclaredTurn } from "../charters/declared-turn.ts";
import { factsOf } from "../charters/facts.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { Note } from "../store/conversations/memory.ts";
import { checkScope } from "../store/scope.ts";
import type { Store } from "../store/store.ts";
import { loadCharter, withUnknownFacts } from "./load.ts";
import { compareLock } from "./lock-file.ts";

/** An agent of the store as it is now: its charter, its settings and the words that stand, for one user where there is one. */
export type AgentSnapshot = { readonly agent: AgentRecord; readonly scope: Scope; readonly declaredTurn: DeclaredTurn };

export type SnapshotOptions = {
  readonly agent: AgentRecord;
  readonly user?: string | undefined;
  readonly channel?: string | undefined;
  /** Facts of this turn that no store keeps: the time, the tools. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
  /** The zone of users who have none. */
  readonly zone?: string | undefined;
  /** Where the lock lies, when it was asked for by name. */
  readonly lock?: string | undefined;
  readonly channels?: Channels | undefined;
  readonly clock?: () => Date;
};

/** Nothing is remembered from one look to the next: what anyone changed is seen. */
export async function snapshotAgent(store: Store, about: SnapshotOptions): Promise<AgentSnapshot> {
  const { agent, user, clock = () => new Date() } = about;
  const scope: Scope = { agent: agent.name, ...(user === undefined ? {} : { user }) };
  checkScope(scope);
  const zone = (user === undefined ? undefined : (await store.users.find(user))?.zone) ?? undefined;
  const facts = factsOf({
    ...(about.zone === undefined ? {} : { zone: about.zone }),
    ...agent.settings,
    ...(readsLiveFacts(agent) ? await liveFacts(store, agent) : {}),
    ...(zone === undefined ? {} : { zone }),
    ...about.facts,
    ...scope,
    ...(about.channel === undefined ? {} : { channel: about.channel }),
  });
  const given = withUnknownFacts((await loadCharter(agent.charter))(facts, clock, about.channels), facts);
  await compareLock(
    { charter: given.charter, from: agent.charter },
    about.lock ?? "charter.lock",
    about.lock !== undefined,
  );
  const standing = await store.standings.read(given.charter, scope, given.fault);
  return { agent, scope, declaredTurn: { ...given, turn: { ...given.turn, standing } } };
}

/** Charters that are told of messages, conversations and notes; one of the user's own may want any of it. */
export function readsLiveFacts({ charter }: AgentRecord): boolean {
  return !["assistant", "artifact", "resident", "coder"].includes(charter);
}

/** A coding agent whose settings tell it of no files reads those of a directory. */
export function readsFiles({ charter, settings }: Pick<AgentRecord, "charter" | "settings">): boolean {
  return (
    charter === "coder" && !["system", "append", "context", "skills"].some((name) => Object.hasOwn(settings, name))
  );
}

/** What a sovereign's layer 10 is made of, where it has any of it: messages that wait, and with whom it spoke. */
async function liveFacts(store: Store, { name }: AgentRecord): Promise<object> {
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

function noteFact({ id, key, text, tainted }: Note) {
  return { key: key ?? id, value: text, tainted };
}
