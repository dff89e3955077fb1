import type { AutomatonStatus } from "../../channels/automaton/automaton-status.ts";
import type { ChainStatus, KnownChain } from "../../channels/chain/chain-status.ts";
import { counted } from "../../prompt/problem.ts";
import { columns, pairs, timeText } from "./columns.ts";
import { hintsHere } from "./command-name.ts";

type Status = AutomatonStatus<ChainStatus>;

/** Prints the status of an automaton, and its last activity. */
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
  const reserveText = reserve === 0 ? "" : `, ${dollars(reserve)} of it kept back`;
  return `${dollars(balance)}: ${dollars(granted ?? 0)} granted, ${dollars(spent)} spent${reserveText}`;
}

/** Formats micro-dollars as dollars: with cents, and with more digits where cents would round to zero. */
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

/** Line about an agent's chain at start, followed by what is wrong with it. */
export function startText(
  agent: string,
  { id, rpc, sends, key }: Pick<KnownChain, "id" | "rpc" | "sends" | "key">,
  trouble: readonly string[],
): string {
  const hosts = rpc.map((address) => new URL(address).host).join(", ");
  const notSent = key === null ? "kept, not sent: no key is named" : "kept, not sent";
  const chainText = `${agent} is on chain ${id}, at ${hosts}; replies are ${sends ? "sent" : notSent}`;
  if (trouble.length === 0) return chainText;
  const isAll = trouble.length === rpc.length;
  return `${chainText}. ${trouble.join(" ")} ${isAll ? "It is tried again by itself; until then nothing is read" : "The others are asked"}`;
}

/** Rows about an agent's chain in its status. */
export function chainRows(chain: ChainStatus, now: Date): [string, string][] {
  const { replies, held, failed, stuck } = chain;
  const going = replies.signed + replies.sent;
  return [
    ["chain", `${chain.chain}, contract ${chain.contract}`],
    ["read to", readText(chain)],
    ["unconfirmed", counted(chain.unconfirmed, "message")],
    [
      "replies",
      `${replies.final} final, ${replies.mined} not confirmed yet, ${going} sent, ${replies.waiting} waiting, ${replies.held} held, ${replies.failed} failed`,
    ],
    ["key", keyText(chain)],
    ["fees today", feesText(chain)],
    ...chain.balances.map(({ symbol, amount, readAt, stale }): [string, string] => [
      "has",
      `${amount} ${symbol}, read ${agoText(readAt, now)}${stale ? ": stale" : ""}`,
    ]),
    ...held.map(({ message, reason }): [string, string] => ["held", `${message}: ${reason}`]),
    ...stuck.map(({ message, reason }): [string, string] => ["stuck", `${message}: ${reason ?? "no block takes it."}`]),
    ...failed.map(({ message, reason }): [string, string] => ["failed", `${message}: ${reason}`]),
    ...(chain.problem === null ? [] : [["trouble", chain.problem] as [string, string]]),
  ];
}

function readText({ block, head, lag, readAt }: ChainStatus): string {
  if (block === null || readAt === null) return "nothing yet";
  return `block ${block}, ${counted(lag ?? 0, "block")} behind ${head}, at ${timeText(readAt)} UTC`;
}

function keyText({ sends, key }: ChainStatus): string {
  if (sends === null) return "not known: no settings here name this chain";
  const where = key === "file" ? "in its file" : key === "environment" ? "in CHARTER_CHAIN_KEY" : "none";
  return sends ? where : `${where}; replies are polled`;
}

function feesText({ feesToday, maxFeePerDay, maxFeePerReply }: ChainStatus): string {
  const limits = maxFeePerDay === null ? "" : ` of at most ${maxFeePerDay}; ${maxFeePerReply} a reply`;
  return `${feesToday} ETH${limits}`;
}

function agoText(at: string, now: Date): string {
  const minutes = Math.max(0, Math.floor((now.getTime() - Date.parse(at)) / 60_000));
  return minutes < 1 ? "less than a minute ago" : `${counted(minutes, "minute")} ago`;
}
