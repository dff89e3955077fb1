import type { Survival } from "../../agent/survival.ts";
import type { Host } from "../../host/host.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { Automaton, ModelAway, StateChange } from "../../store/automata/automata.ts";

/** The status of an agent that lives by itself. Amounts are in millionths of a dollar; null is unknown. */
export type AutomatonStatus<Chain = unknown> = Pick<
  Automaton,
  "agent" | "turn" | "asleepUntil" | "turns" | "ownTurnAt"
> &
  Pick<AgentRecord, "frozen"> & {
    readonly state: string | null;
    readonly stateAt: string | null;
    readonly tier: Survival["tier"];
    /** Time of its next own turn; null: it takes none now, or the interval is not known here. */
    readonly nextOwnTurnAt: string | null;
    /** The process that runs it; null: none does now. */
    readonly runner: string | null;
    /** The reason why its model is away; null: it answered when it was last asked. */
    readonly away: Omit<ModelAway, "turn"> | null;
    readonly balances: Pick<Automaton, "granted" | "spent"> &
      Pick<Survival, "balance" | "unknown" | "reserve" | "need" | "burnPerHour" | "runwayHours">;
    /** The status of its chain, where it has one. */
    readonly chain?: Chain | undefined;
    /** Number of messages in its inbox. */
    readonly waiting: number;
    readonly dead: number;
    /** Changes of its state, the newest first. */
    readonly transitions: readonly (Omit<StateChange, "fault"> & { readonly fault: boolean })[];
  };

type StatusOptions<Chain> = {
  /** Milliseconds between own turns, as far as they are known here. */
  readonly everyMs?: number | undefined;
  readonly chain?: Chain | undefined;
  /** Maximum number of state changes in the status; 10 by default. */
  readonly transitions?: number;
};

/** Reads the status of an agent that lives by itself: servers and commands report the same. */
export async function automatonStatus<Chain>(
  { store, clock, survivalOf }: Pick<Host, "store" | "clock" | "survivalOf">,
  { name: agent, frozen }: Pick<AgentRecord, "name" | "frozen">,
  { everyMs, chain, transitions = 10 }: StatusOptions<Chain>,
): Promise<AutomatonStatus<Chain>> {
  const [row, survival, { waiting, dead }, changes] = await Promise.all([
    store.automata.find(agent),
    survivalOf(agent),
    store.inbox.counts(agent),
    store.automata.listChanges(agent, { limit: transitions }),
  ]);
  const { state = null, stateAt = null, turn = null, asleepUntil = null, turns = 0 } = row ?? {};
  const { ownTurnAt = null, granted = null, spent = 0, leasedUntil = null } = row ?? {};
  const { tier, balance, unknown, reserve, need, burnPerHour, runwayHours } = survival;
  const now = clock().toISOString();
  // A process that died releases nothing: its lease runs out.
  const runner = row && leasedUntil !== null && leasedUntil >= now ? row.runner : null;
  const rests = frozen === "agent" || (asleepUntil !== null && asleepUntil > now) || tier !== "Normal";
  const nextOwnTurnAt = runner === null || rests || everyMs === undefined ? null : later(ownTurnAt, everyMs, now);
  const away = row?.away ? { since: row.away.since, because: row.away.because } : null;
  return {
    ...{ agent, state, stateAt, turn, tier, frozen, asleepUntil, turns, ownTurnAt, nextOwnTurnAt, runner, away },
    balances: { granted, spent, balance, unknown, reserve, need, burnPerHour, runwayHours },
    ...(chain && { chain }),
    ...{ waiting, dead, transitions: changes.map((change) => ({ ...change, fault: change.fault ?? false })) },
  };
}

function later(at: string | null, ms: number, now: string): string {
  return at === null ? now : new Date(Date.parse(at) + ms).toISOString();
}
