import type { ValuesOf } from "../field.ts";
import { colours } from "../print/colour.ts";
import { oneLine, pairs, timeText } from "../print/columns.ts";
import { hintsHere } from "../print/command-name.ts";
import type { message, reply, seenMessage } from "./message-fields.ts";

type Message = (typeof message)["holds"];
type Reply = (typeof reply)["holds"];

export const messageColumns = ["id", "time (UTC)", "from", "paid", "tries", "last failure", "words"] as const;

export function messageCells({ id, at, sender, paid, tries, failures, body }: Message): string[] {
  return [id, timeText(at), sender, paidText(paid), String(tries), failures.at(-1)?.because ?? "–", body];
}

export const replyColumns = ["time (UTC)", "to", "message", "turn", "read", "words"] as const;

export function replyCells({ at, to, message, turn = "–", sentAt, body }: Reply): string[] {
  return [timeText(at), to, message ?? "–", turn, sentAt === null ? "not yet" : timeText(sentAt), body];
}

/** One message whole: who wrote what, each try that failed, and the reply. */
export function aboutMessage(seen: ValuesOf<typeof seenMessage>, answered: Reply | null): string[] {
  const { dim } = colours(process.stdout);
  const { id, sender, at, status, tries = 0, turn, failures = [], lane = "", agent, paid = null } = seen;
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
    ...indented(seen.body),
    ...(answered
      ? [dim(`reply, ${timeText(answered.at)} UTC, turn ${answered.turn}`), ...indented(answered.body)]
      : []),
    ...(status === "dead" ? [again] : []),
  ];
}

function paidText(paid: string | null): string {
  return paid === null ? "–" : `${paid} ETH`;
}

function indented(text: string): string[] {
  return text.split("\n").map((line) => `  ${oneLine(line)}`);
}
