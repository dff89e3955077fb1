import type { Declaration, Need } from "../agent/declaration.ts";
import type { Scope } from "../amend/amendment.ts";
import type { Channels } from "../charters/assistant/assistant.ts";
import type { DeclaredTurn } from "../charters/declared-turn.ts";
import { factsOf } from "../charters/facts.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { Note } from "../store/conversations/memory.ts";
import { checkScope } from "../store/scope.ts";
import type { Store } from "../store/store.ts";
import { loadCharter } from "./load.ts";
import { compareLock } from "./lock-file.ts";

/**
 * An agent of the store as it is now, for one user if there is one: its record, and its charter with the current text.
 */
export type AgentSnapshot = { readonly agent: AgentRecord; readonly scope: Scope; readonly declaredTurn: DeclaredTurn };

type SnapshotOptions = {
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
  /** What its charter needs, where that is known already. */
  readonly needs?: readonly Need[] | undefined;
  readonly clock?: () => Date;
};

/** Nothing is remembered from one look to the next: what anyone changed is seen. */
export async function snapshotAgent(store: Store, about: SnapshotOptions): Promise<AgentSnapshot> {
  const { agent, user, clock = () => new Date() } = about;
  const scope: Scope = { agent: agent.name, ...(user === undefined ? {} : { user }) };
  checkScope(scope);
  const zone = (user === undefined ? undefined : (await store.users.find(user))?.zone) ?? undefined;
  const { given: fromFacts } = await loadCharter(agent.charter);
  const givenWith = (live: object) =>
    fromFacts(
      factsOf({
        ...(about.zone === undefined ? {} : { zone: about.zone }),
        ...agent.settings,
        ...live,
        ...(zone === undefined ? {} : { zone }),
        ...about.facts,
        ...scope,
        ...(about.channel === undefined ? {} : { channel: about.channel }),
      }),
      clock,
      about.channels,
    );
  const first = about.needs ? undefined : await givenWith({});
  const { needs = [] } = first ?? about;
  const given = first && !needsStore({ needs }) ? first : await givenWith(await liveFacts(store, agent.name, needs));
  await compareLock(
    { charter: given.charter, from: agent.charter },
    about.lock ?? "charter.lock",
    about.lock !== undefined,
  );
  const standing = await store.standings.read(given.charter, scope, given.fault);
  return { agent, scope, declaredTurn: { ...given, turn: { ...given.turn, standing } } };
}

/** Is it told anything that only the store knows, and that may be another with every turn? */
export function needsStore({ needs = [] }: Pick<Declaration, "needs">): boolean {
  return needs.some((need) => need !== "files");
}

export function needsFiles({ needs = [] }: Pick<Declaration, "needs">): boolean {
  return needs.includes("files");
}

/** What is in the store of what a charter needs: messages that wait, what was said with whoever sent them, notes. */
async function liveFacts(store: Store, agent: string, needs: readonly Need[]): Promise<object> {
  const asked = needs.includes("inbox") || needs.includes("conversations");
  const inbox = asked ? await store.inbox.list(agent, "waiting", { limit: 1000 }) : [];
  const senders = needs.includes("conversations") ? [...new Set(inbox.map(({ sender }) => sender))] : [];
  const logs = await Promise.all(
    senders.map(async (sender) => [sender, (await store.conversations.read(agent, sender))?.exchanges ?? []] as const),
  );
  const notes = needs.includes("notes") ? await store.memory.list({ agent }, { limit: 20 }) : [];
  const messages = needs.includes("inbox") ? inbox.map(({ id, sender, body }) => ({ id, sender, body })) : [];
  return {
    ...(messages.length === 0 ? {} : { inbox: messages }),
    ...(senders.length === 0 ? {} : { conversations: Object.fromEntries(logs) }),
    ...(notes.length === 0 ? {} : { memory: notes.map(noteFact) }),
  };
}

function noteFact({ id, key, text, tainted }: Note) {
  return { key: key ?? id, value: text, tainted };
}
