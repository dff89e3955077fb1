import { type Need, needsStore } from "../agent/declaration.ts";
import { measureSurvival } from "../agent/survival.ts";
import { readableScopes } from "../agent/tools/memory.ts";
import type { Scope } from "../amend/amendment.ts";
import type { Channels } from "../charters/assistant/assistant.ts";
import type { DeclaredTurn } from "../charters/declared-turn.ts";
import { balanceFacts } from "../charters/ether.ts";
import { factsOf } from "../charters/facts.ts";
import type { AgentRecord } from "../store/agents.ts";
import type { InboxMessage } from "../store/conversations/inbox-row.ts";
import type { Note } from "../store/memory/note.ts";
import { checkScope, counterpartKey, counterpartOf, scopeNamed } from "../store/scope.ts";
import type { Store } from "../store/store.ts";
import type { WithCoreMemory } from "./core-memory.ts";
import { agentCharter, type CharterSources, compareLock, type HostCharters } from "./load.ts";

/** An agent of the store as it is now, for one user if given: its record, and its charter with the current text. */
export type AgentSnapshot = {
  readonly agent: AgentRecord;
  readonly scope: Scope;
  readonly declaredTurn: DeclaredTurn;
  /** Number of inbox messages the turn has taken. */
  readonly messages: number;
};

type SnapshotOptions = {
  readonly agent: AgentRecord;
  readonly user?: string | undefined;
  readonly channel?: string | undefined;
  /** Id of the turn, if it is declared for one: its inbox messages are then included. */
  readonly turn?: string | undefined;
  /** Shows that the turn is recorded already. */
  readonly begun?: boolean | undefined;
  /** Tells whether the agent's model has a price; by default judged by what its turns cost. */
  readonly isPriced?: LiveTurn["isPriced"];
  /** Facts of this turn that are not stored: the time, the tools. */
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
  /** Time zone of users who have set none. */
  readonly zone?: string | undefined;
  /** Path of the lock, if it was asked for by name. */
  readonly lock?: string | undefined;
  readonly channels?: Channels | undefined;
  /** Own charters of the host. */
  readonly charters?: HostCharters | undefined;
  readonly sources?: CharterSources["sources"];
  /** Needs of its charter, if they are known already. */
  readonly needs?: readonly Need[] | undefined;
  /** Adds the core memory; without it, the core memory is unavailable. */
  readonly withMemory?: WithCoreMemory | undefined;
  readonly clock?: () => Date;
};

/** Reads an agent without any cache, so that everyone's changes are seen. */
export async function snapshotAgent(store: Store, about: SnapshotOptions): Promise<AgentSnapshot> {
  const { agent, user, clock = () => new Date() } = about;
  const scope: Scope = scopeNamed(agent.name, user ?? null);
  checkScope(scope);
  const zone = await store.users.zoneOf(user);
  const { charters, sources, lock } = about;
  const { given: fromFacts } = await agentCharter(agent, { store, charters, sources, lock });
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
  const fromLive = first && !live ? first : await givenWith(live?.facts ?? {});
  const withCore = about.withMemory?.(agent, fromLive) ?? fromLive;
  await compareLock(
    { charter: withCore.charter, from: agent.charter },
    about.lock ?? "charter.lock",
    about.lock !== undefined,
  );
  const standing = await store.standings.read(withCore.charter, scope, withCore.fault);
  // The context is the request's, in a turn as here: a setting of that name is nobody's.
  const { context, ...turn } = withCore.turn;
  const given = about.facts?.context === undefined ? {} : { context };
  const declaredTurn = { ...withCore, turn: { ...turn, ...given, standing } };
  return { agent, scope, declaredTurn, messages: live?.messages ?? 0 };
}

/** Turn whose facts are read: what a charter is told from the store depends on nothing else. */
export type LiveTurn = {
  readonly agent: AgentRecord;
  readonly user: string | undefined;
  /** Id of the turn; without one, no messages are included. */
  readonly turn: string | undefined;
  /** Shows that the turn is recorded already, and so is counted. */
  readonly begun?: boolean | undefined;
  readonly now: Date;
  /** Tells whether the agent's model has a price. */
  readonly isPriced?: (() => Promise<boolean | undefined>) | undefined;
};

/** Facts of a turn, and the number of messages it has taken. */
type LiveFacts = { readonly facts: Readonly<Record<string, unknown>>; readonly messages: number };

const shownNotes = 20;

/**
 * Reads from the store what a charter needs: the turn's messages and how many wait, the conversations with their senders, notes
 * of the agent and of the turn's user, and the agent's budget. Nothing of anybody else is read.
 */
async function liveFacts(store: Store, needs: readonly Need[], turn: LiveTurn): Promise<LiveFacts> {
  const { agent, user } = turn;
  const needsMessages = needs.includes("inbox") || needs.includes("conversations");
  const messages = needsMessages ? await messagesOf(store, turn) : [];
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

/** Messages of a turn. A turn with one counterpart sees that one's messages only, whatever else was taken for it. */
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

/** Newest notes of all scopes together. With several counterparts, each note says whose it is. */
async function newestNotes(store: Store, scopes: readonly Scope[]): Promise<object[]> {
  const lists = await Promise.all(scopes.map((scope) => store.memory.list(scope, { limit: shownNotes })));
  const newest = lists.flat().sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
  return newest.slice(0, shownNotes).map((note) => noteFact(note, scopes.length > 2));
}

function noteFact({ id, key, text, tainted, scope: { user } }: Note, withWhose: boolean) {
  const owner = withWhose && user !== undefined ? `${counterpartOf(user)} ` : "";
  return { key: `${owner}${key ?? id}`, value: text, tainted };
}

/** Measured state of an agent, beside what the operator set for the rest. */
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
