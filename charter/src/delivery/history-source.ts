import type { Sha256 } from "../prompt/prompt.ts";
import type { HistorySource, SentSlot } from "../prompt/receipt.ts";
import type { Summary } from "./baseline.ts";
import type { TurnMessages } from "./history.ts";
import type { Message } from "./model.ts";
import type { Receiver } from "./receiver.ts";
import { isUpdate } from "./update.ts";

/** A history as a session has it before a request is made of it. */
type KnownHistory = {
  readonly stretches: readonly TurnMessages[];
  /** The messages of the turn that runs, its input as it was asked. */
  readonly own: readonly Message[];
  readonly summary: Summary | null;
};

/** A history as it was sent, with the places in it that slots of the prompt take. */
type SentMessages = {
  readonly history: readonly Message[];
  readonly placements: readonly { readonly slot: string; readonly message?: number }[];
};

/** What a history's messages are made of, and the texts that have to be kept so that they can be made again. */
type SourcedHistory = {
  readonly source: HistorySource;
  readonly summary?: string;
  readonly changed?: string;
};

/** Says what a history that is about to be sent is made of. What the session does not have as it was sent is kept. */
export function historySource(
  { stretches, own, summary }: KnownHistory,
  { history, placements }: SentMessages,
  { voice }: Pick<Receiver, "voice">,
  sha256: Sha256,
): SourcedHistory {
  const past = stretches.filter(({ turn }) => turn !== null);
  const silent = past.filter(({ messages }) => messages.every(isUpdate)).flatMap(({ turn }) => turn ?? []);
  const known: Message[] = [];
  for (const { messages } of [...stretches, { messages: own }])
    for (const message of messages) if (!isUpdate(message)) known.push(message);
  const placed = new Set(placements.flatMap(({ slot, message }) => (slot === "state" ? [] : (message ?? []))));
  const sent = placed.size === 0 ? history : history.filter((_, index) => !placed.has(index));
  const difference = differenceOf(known, sent);
  const changed = difference && difference.put.length > 0 ? JSON.stringify(difference.put) : undefined;
  const opening = stretches[0]?.turn === null ? summary : null;
  const [first] = past;
  return {
    source: {
      ...(first ? { from: first.turn as string } : {}),
      turns: past.length - silent.length,
      ...(silent.length > 0 ? { without: silent } : {}),
      own: own.filter((message) => !isUpdate(message)).length,
      ...(opening ? { summary: summaryName(opening, sha256) } : {}),
      ...(difference ? { changed: changeName(difference, changed, sha256) } : {}),
      voice,
    },
    ...(opening ? { summary: opening.text } : {}),
    ...(changed === undefined ? {} : { changed }),
  };
}

function summaryName({ text, until, step }: Summary & { readonly step?: number }, sha256: Sha256) {
  return { digest: sha256(text), until, ...(step === undefined ? {} : { step }) };
}

function changeName({ at, drop }: Difference, text: string | undefined, sha256: Sha256) {
  return { at, drop, ...(text === undefined ? {} : { digest: sha256(text) }) };
}

type Difference = { readonly at: number; readonly drop: number; readonly put: readonly Message[] };

/** Where two lists differ: from so many messages on, so many of the one are other messages in the other. */
function differenceOf(one: readonly Message[], other: readonly Message[]): Difference | undefined {
  const shorter = Math.min(one.length, other.length);
  let at = 0;
  while (at < shorter && isSame(one[at], other[at])) at++;
  if (at === one.length && at === other.length) return undefined;
  let end = 0;
  while (end < shorter - at && isSame(one.at(-1 - end), other.at(-1 - end))) end++;
  return { at, drop: one.length - at - end, put: other.slice(at, other.length - end) };
}

function isSame(one: Message | undefined, other: Message | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** A slot of a receipt with its text. */
type ReplayedSlot = Pick<SentSlot, "slot" | "message" | "sections"> & { readonly text: string };

/** The history as it was sent: made of the messages its turns have, what was kept beside them, and slots of the prompt. */
export function historyFrom(
  known: readonly Message[],
  { changed, voice }: Pick<HistorySource, "changed" | "voice">,
  put: readonly Message[],
  slots: readonly ReplayedSlot[],
): Message[] {
  const messages = known.filter((message) => !isUpdate(message));
  if (changed) messages.splice(changed.at, changed.drop, ...put);
  const among = slots.filter(({ slot, message }) => slot !== "state" && message !== undefined);
  for (const { slot, message, sections, text } of among.sort((a, b) => Number(a.message) - Number(b.message))) {
    const update = sections[0]?.name ?? "";
    messages.splice(message as number, 0, slot === "update" ? { role: voice, text, update } : { role: "user", text });
  }
  return messages;
}
