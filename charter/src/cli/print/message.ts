import { etherText } from "../../charters/ether.ts";
import type { InboxMessage, OutboxReply } from "../../store/conversations/inbox-row.ts";
import { colours } from "./colour.ts";
import { oneLine, pairs, timeText } from "./columns.ts";
import { hintsHere } from "./command-name.ts";

/** What may become of a message, as its life goes. */
export const messageStates = [
  "waiting",
  "taken",
  "answered",
  "dead",
  "withdrawn",
] as const satisfies readonly InboxMessage["status"][];

export const messageColumns = ["id", "time (UTC)", "from", "paid", "tries", "last failure", "words"] as const;

export function messageCells({ id, at, sender, paid, tries, failures, body }: InboxMessage): string[] {
  return [id, timeText(at), sender, paidText(paid), String(tries), failures.at(-1)?.because ?? "–", body];
}

export const replyColumns = ["time (UTC)", "to", "message", "turn", "read", "words"] as const;

export function replyCells({ at, to, message, turn, sentAt, body }: OutboxReply): string[] {
  return [timeText(at), to, message ?? "–", turn, sentAt === null ? "not yet" : timeText(sentAt), body];
}

/** One message whole: who wrote what, each try that failed, and the reply. */
export function aboutMessage(message: InboxMessage, reply: OutboxReply | null): string[] {
  const { dim } = colours(process.stdout);
  const { id, sender, at, status, tries, turn, failures, lane, agent, paid } = message;
  const rows: [string, string][] = [
    ["message", id],
    ["to", agent],
    ["from", sender],
    ["posted", `${timeText(at)} UTC${lane === "" ? "" : `, lane ${lane}`}`],
    ...(paid === null ? [] : [["paid", paidText(paid)] as [string, string]]),
    ["status", status],
    ["tries", String(tries)],
    ["turn", turn ?? "–"],
    ...failures.map((one): [string, string] => [
      "failed",
      `${timeText(one.at)} UTC, turn ${one.turn ?? "–"}: ${one.because}`,
    ]),
  ];
  const again = hintsHere(
    `Try it again: charter inbox retry ${agent} ${id}; or withdraw it: charter inbox discard ${agent} ${id}`,
  );
  return [
    ...pairs(rows, process.stdout),
    dim("words"),
    ...indented(message.body),
    ...(reply ? [dim(`reply, ${timeText(reply.at)} UTC, turn ${reply.turn}`), ...indented(reply.body)] : []),
    ...(status === "dead" ? [again] : []),
  ];
}

function paidText(paid: string | null): string {
  return paid === null ? "–" : `${etherText(BigInt(paid))} ETH`;
}

function indented(text: string): string[] {
  return text.split("\n").map((line) => `  ${oneLine(line)}`);
}
