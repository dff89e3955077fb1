import type { ChainStatus, KnownChain } from "../../channels/chain/chain-status.ts";
import { counted } from "../../prompt/problem.ts";
import { timeText } from "./columns.ts";

/** Where an agent's chain is, as it is told at the start; with what is wrong, if anything is. */
export function startText(
  agent: string,
  { id, rpc, sends, key }: Pick<KnownChain, "id" | "rpc" | "sends" | "key">,
  trouble: readonly string[],
): string {
  const hosts = rpc.map((address) => new URL(address).host).join(", ");
  const kept = key === null ? "kept, not sent: no key is named" : "kept, not sent";
  const told = `${agent} is on chain ${id}, at ${hosts}; replies are ${sends ? "sent" : kept}`;
  if (trouble.length === 0) return told;
  const isAll = trouble.length === rpc.length;
  return `${told}. ${trouble.join(" ")} ${isAll ? "It is tried again by itself; until then nothing is read" : "The others are asked"}`;
}

/** How an agent's chain is, in the rows of its status. */
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
