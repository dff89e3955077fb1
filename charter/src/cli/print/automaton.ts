import type { Survival } from "../../agent/survival/measure-survival.ts";
import { counted } from "../../prompt/problem.ts";
import type { ChainStatus } from "../../server/chain-status.ts";
import type { AgentRecord } from "../../store/agents.ts";
import type { Automaton, ModelAway } from "../../store/automata/automaton.ts";
import { chainRows } from "./chain.ts";
import { columns, pairs, timeText } from "./columns.ts";
import { hintsHere } from "./command-name.ts";

type Life = Pick<
  Automaton,
  "agent" | "turn" | "tier" | "asleepUntil" | "turns" | "ownTurnAt" | "runner" | "leasedUntil"
>;

/** How an agent that lives by itself is. Amounts are in millionths of a dollar; null is unknown. */
export type AutomatonStatus = Life &
  Pick<AgentRecord, "frozen"> & {
    readonly state: string | null;
    readonly stateAt: string | null;
    /** Its model gave no answer when it was last asked; null: it did. */
    readonly away: Omit<ModelAway, "turn"> | null;
    readonly balances: Pick<Automaton, "granted" | "spent"> &
      Pick<Survival, "balance" | "unknown" | "reserve" | "need" | "burnPerHour" | "runwayHours">;
    /** Its chain, where it has one. */
    readonly chain?: ChainStatus;
    readonly waiting: number;
    readonly dead: number;
    /** The newest first. */
    readonly transitions: readonly {
      readonly from: string;
      readonly to: string;
      readonly cause: string;
      readonly turn: string | null;
      readonly at: string;
      readonly fault: boolean;
    }[];
  };

/** How it is, and what it did last. */
export function statusLines(status: AutomatonStatus, now: Date): string[] {
  const { balances, transitions, waiting, dead, ownTurnAt } = status;
  const { need, burnPerHour, runwayHours } = balances;
  const rows: [string, string][] = [
    ["agent", status.agent],
    ["state", status.state === null ? "it was never started" : `${status.state}, since ${utc(status.stateAt)}`],
    ...(status.away ? [["model", awayText(status.away)] as [string, string]] : []),
    ["tier", status.tier],
    ["balance", balanceText(status)],
    ["need", need === 0 ? "unknown: no turn has cost anything yet" : `${dollars(need)} for a turn`],
    ["burn", burnPerHour === null ? "unknown" : `${dollars(burnPerHour)} an hour, over the last 24`],
    ["runway", runwayHours === null ? "unknown" : `${runwayHours} hours`],
    ["waiting", counted(waiting, "message")],
    ["dead", counted(dead, "message")],
    ["asleep", asleepText(status, now)],
    ["in charge", inCharge(status, now)],
    [
      "own turn",
      ownTurnAt === null
        ? "none was taken yet"
        : `the last began ${utc(ownTurnAt)}; the next is due 5 minutes later, unless charter.config.ts says otherwise`,
    ],
    ["turns", String(status.turns)],
    ...(status.chain ? chainRows(status.chain, now) : []),
  ];
  const cells = transitions.map(({ at, from, to, cause, turn, fault }) => [
    timeText(at),
    from,
    to,
    fault ? `fault: ${cause}` : cause,
    turn ?? "–",
  ]);
  const table =
    cells.length === 0 ? [] : ["", ...columns(["time (UTC)", "from", "to", "cause", "turn"], cells, process.stdout)];
  return [...pairs(rows, process.stdout), ...table];
}

function awayText({ since, because }: NonNullable<AutomatonStatus["away"]>): string {
  return `no answer since ${utc(since)}; it is asked again by itself, messages wait, none is lost. Reason: ${because}`;
}

function balanceText({ agent, balances }: AutomatonStatus): string {
  const { balance, unknown, granted, spent, reserve } = balances;
  if (unknown === "never-granted")
    return hintsHere(`unknown: nothing was ever granted (charter automaton grant ${agent} 5.00)`);
  if (balance === null) return "unknown: its model has no price";
  const kept = reserve === 0 ? "" : `, ${dollars(reserve)} of it kept back`;
  return `${dollars(balance)}: ${dollars(granted ?? 0)} granted, ${dollars(spent)} spent${kept}`;
}

/** Millionths of a dollar as dollars: to the cent, and further where cents would hide it. */
function dollars(micros: number): string {
  const sign = micros < 0 ? "-" : "";
  const size = Math.abs(micros) / 1_000_000;
  const text = size === 0 || size >= 1 ? size.toFixed(2) : String(Number(size.toPrecision(2)));
  return `${sign}$${text}`;
}

function asleepText({ asleepUntil, frozen }: AutomatonStatus, now: Date): string {
  if (frozen === "agent") return "frozen";
  if (asleepUntil === null || asleepUntil <= now.toISOString()) return "no";
  return asleepUntil.startsWith("9999") ? "until it is woken" : `until ${utc(asleepUntil)}`;
}

function inCharge({ runner, leasedUntil }: AutomatonStatus, now: Date): string {
  const held = runner !== null && leasedUntil !== null && leasedUntil >= now.toISOString();
  return held ? runner : hintsHere("none: start one with charter start or charter work (docs/automaton.md)");
}

function utc(at: string | null): string {
  return at === null ? "–" : `${timeText(at)} UTC`;
}
