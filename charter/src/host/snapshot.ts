import { type Need, needsStore } from "../agent/declaration.ts";
import { measureSurvival } from "../agent/survival.ts";
import { readableScopes } from "../agent/tools/memory.ts";
import type { Scope } from "../amend/amendment.ts";
import type { Channels } from "../charters/assistant/assistant.ts";
import type { DeclaredTurn } from "../charters/declared-turn.ts";
import { balanceFacts } from "../charters/ether.ts";
import { factsOf } from "../charters/facts.ts";
import type { AgentRecord } from "../store/agents.ts";
import { counterpartKey, counterpartOf, type InboxMessage } from "../store/conversations/inbox-row.ts";
import type { Note } from "../store/memory/note.ts";
import { checkScope } from "../store/scope.ts";
import type { Store } from "../store/store.ts";
import type { WithCoreMemory } from "./core-memory.ts";
import { agentCharter, compareLock, type HostCharters } from "./load.ts";

/**
 * An agent of the store as it is now, for one user if there is one: its record, and its charter with the current text.
 */
export type AgentSnapshot = {
  readonly agent: AgentRecord;
  readonly scope: Scope;
  readonly declaredTurn: DeclaredTurn;
  /** How many messages of its inbox the turn has taken. */
  readonly messages: number;
};

type SnapshotOptions = {
  readonly agent: AgentRecord;
  readonly user?: string | undefined;
  readonly channel?: string | undefined;
  /** The id of the turn, if it is declared for one: what it has taken of the inbox is told. */
  readonly turn?: string | undefined;
  /** That turn is on record already. */
  readonly begun?: boolean | undefined;
  /** Whether the agent's model has a price; by what its turns cost, unless given. */
  readonly isPriced?: LiveTurn["isPriced"];
  /** Facts of this turn that no store keeps: the time, the tools. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
  /** The zone of users who have none. */
  readonly zone?: string | undefined;
  /** Where the lock lies, when it was asked for by name. */
  readonly lock?: string | undefined;
  readonly channels?: Channels | undefined;
  /** The host's own charters. */
  readonly charters?: HostCharters | undefined;
  /** What its charter needs, where that is known already. */
  readonly needs?: readonly Need[] | undefined;
  /** Gives it its core memory; it is unavailable, unless given. */
  readonly withMemory?: WithCoreMemory | undefined;
  readonly clock?: () => Date;
};

/** Nothing is remembered from one look to the next: what anyone changed is seen. */
export async function snapshotAgent(store: Store, about: SnapshotOptions): Promise<AgentSnapshot> {
  const { agent, user, clock = () => new Date() } = about;
  const scope: Scope = { agent: agent.name, ...(user === undefined ? {} : { user }) };
  checkScope(scope);
  const zone = await store.users.zoneOf(user);
  const { given: fromFacts } = await agentCharter(agent, { store, charters: about.charters });
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
  const ofTurn = { agent, user, turn: about.turn, begun: about.begun, now: clock(), isPriced: about.isPriced };
  const live = first && !needsStore({ needs }) ? undefined : await liveFacts(store, needs, ofTurn);
  const told = first && !live ? first : await givenWith(live?.facts ?? {});
  const given = about.withMemory?.(agent, told) ?? told;
  await compareLock(
    { charter: given.charter, from: agent.charter },
    about.lock ?? "charter.lock",
    about.lock !== undefined,
  );
  const standing = await store.standings.read(given.charter, scope, given.fault);
  const declaredTurn = { ...given, turn: { ...given.turn, standing } };
  return { agent, scope, declaredTurn, messages: live?.messages ?? 0 };
}

/** Whose turn it is, if it is one: what a charter is told of the store depends on nothing else. */
export type LiveTurn = {
  readonly agent: AgentRecord;
  readonly user: string | undefined;
  /** The turn's id; without one, nobody's messages are told. */
  readonly turn: string | undefined;
  /** It is on record already, and so among those that are counted. */
  readonly begun?: boolean | undefined;
  readonly now: Date;
  /** Whether the agent's model has a price. */
  readonly isPriced?: (() => Promise<boolean | undefined>) | undefined;
};

/** The facts, and how many messages the turn has taken. */
type LiveFacts = { readonly facts: Readonly<Record<string, unknown>>; readonly messages: number };

const shownNotes = 20;

/**
 * What is in the store of what a charter needs: the messages this turn has taken and how many wait, what was said with
 * their senders, notes of the agent and of whom the turn is with, and how the agent is off. No word of anybody else.
 */
async function liveFacts(store: Store, needs: readonly Need[], turn: LiveTurn): Promise<LiveFacts> {
  const { agent, user } = turn;
  const asked = needs.includes("inbox") || needs.includes("conversations");
  const messages = asked ? await messagesOf(store, turn) : [];
  const facts: Record<string, unknown> = {};
  if (needs.includes("inbox")) {
    facts.inbox = messages.map(({ id, sender, body, paid }) => ({ id, sender, body, paid }));
    facts.waiting = await store.inbox.countWaiting(agent.name);
    facts.state = await stateFacts(store, turn);
  }
  if (needs.includes("conversations")) facts.conversations = await conversationsWith(store, agent.name, messages);
  if (needs.includes("notes"))
    facts.memory = await newestNotes(store, readableScopes({ agent: agent.name, user }, messages));
  return { facts, messages: messages.length };
}

/** A turn with one counterpart is told its messages alone, whatever else was taken for it. */
async function messagesOf(store: Store, { agent, user, turn }: LiveTurn): Promise<readonly InboxMessage[]> {
  if (turn === undefined) return [];
  const held = await store.inbox.heldBy(agent.name, turn);
  return user === undefined ? held : held.filter(({ sender }) => counterpartKey(sender) === user);
}

async function conversationsWith(store: Store, agent: string, messages: readonly InboxMessage[]): Promise<object> {
  const senders = [...new Set(messages.map(({ sender }) => sender))];
  const read = async (sender: string) =>
    [sender, (await store.conversations.read(agent, sender))?.exchanges ?? []] as const;
  return Object.fromEntries(await Promise.all(senders.map(read)));
}

/** Newest first, of all of them together. Where several counterparts are among them, each says whose it is. */
async function newestNotes(store: Store, scopes: readonly Scope[]): Promise<object[]> {
  const lists = await Promise.all(scopes.map((scope) => store.memory.list(scope, { limit: shownNotes })));
  const newest = lists.flat().sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
  return newest.slice(0, shownNotes).map((note) => noteFact(note, scopes.length > 2));
}

function noteFact({ id, key, text, tainted, scope: { user } }: Note, withWhose: boolean) {
  const whose = withWhose && user !== undefined ? `${counterpartOf(user)} ` : "";
  return { key: `${whose}${key ?? id}`, value: text, tainted };
}

/** What was measured; what the operator says of the rest stands beside it. */
async function stateFacts(store: Store, { agent, now, begun, isPriced }: LiveTurn): Promise<object> {
  const { survival, automaton } = await measureSurvival({ store, agent, now, priced: await isPriced?.() });
  const { balance, burnPerHour, tier } = survival;
  const { state } = agent.settings;
  return {
    ...(typeof state === "object" ? state : {}),
    ...(balance === null ? {} : { cycles_balance: balance }),
    ...(burnPerHour === null ? {} : { burn_per_hour: burnPerHour }),
    survival_tier: tier,
    ...(automaton?.address ? { base_wallet: automaton.address } : {}),
    ...balanceFacts(await store.chain.balances.list(agent.name), now),
    ...(automaton ? { turn_number: automaton.turns + (begun ? 0 : 1) } : {}),
  };
}
