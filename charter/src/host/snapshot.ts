import { type Need, needsStore } from "../agent/declaration.ts";
import type { Scope } from "../amend/amendment.ts";
import type { Channels } from "../charters/assistant/assistant.ts";
import type { DeclaredTurn } from "../charters/declared-turn.ts";
import { factsOf } from "../charters/facts.ts";
import type { AgentRecord } from "../store/agents.ts";
import { checkScope } from "../store/scope.ts";
import type { Store } from "../store/store.ts";
import type { WithCoreMemory } from "./core-memory.ts";
import { type LiveTurn, liveFacts } from "./live-facts.ts";
import { agentCharter, type HostCharters } from "./load.ts";
import { compareLock } from "./lock-file.ts";

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
