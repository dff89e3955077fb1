import type { AutomatonStatus } from "../../channels/automaton/automaton-status.ts";
import type { ChainStatus } from "../../channels/chain/chain-status.ts";
import { counted } from "../../prompt/problem.ts";
import { chainRows } from "./chain.ts";
import { columns, pairs, timeText } from "./columns.ts";
import { hintsHere } from "./command-name.ts";

type Status = AutomatonStatus<ChainStatus>;

/** How it is, and what it did last. */
export function statusLines(status: Status, now: Date): string[] {
  const { balances, transitions, waiting, dead } = status;
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
    ["in charge", inCharge(status)],
    ["own turn", ownTurnText(status)],
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

function awayText({ since, because }: NonNullable<Status["away"]>): string {
  return `no answer since ${utc(since)}; it is asked again by itself, messages wait, none is lost. Reason: ${because}`;
}

function balanceText({ agent, balances }: Status): string {
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

function asleepText({ asleepUntil, frozen }: Status, now: Date): string {
  if (frozen === "agent") return "frozen";
  if (asleepUntil === null || asleepUntil <= now.toISOString()) return "no";
  return asleepUntil.startsWith("9999") ? "until it is woken" : `until ${utc(asleepUntil)}`;
}

function ownTurnText({ ownTurnAt, nextOwnTurnAt }: Status): string {
  const last = ownTurnAt === null ? "none was taken yet" : `the last began ${utc(ownTurnAt)}`;
  return nextOwnTurnAt === null ? last : `${last}; the next is due ${utc(nextOwnTurnAt)}`;
}

function inCharge({ runner }: Status): string {
  return runner ?? hintsHere("none: start one with charter start or charter work (docs/automaton.md)");
}

function utc(at: string | null): string {
  return at === null ? "–" : `${timeText(at)} UTC`;
}
