import type { Placement, SectionText } from "../prompt/receipt.ts";
import type { Baseline, Update } from "./baseline.ts";
import type { Message } from "./model.ts";
import type { Receiver } from "./receiver.ts";
import { goneWords, stabilityOf } from "./slot.ts";

/** What was said of a section, as the message it is in a history. */
export function updateMessage({ text, section }: Update, { voice }: Receiver): Message {
  return { role: voice, text, update: section };
}

export function isUpdate(message: Message): boolean {
  return (message.role === "system" || message.role === "user") && message.update !== undefined;
}

/** The messages of a history that a baseline leaves in it: what was said of words that are in the prefix now is not. */
export function withoutFoldedUpdates(messages: readonly Message[], { updates }: Baseline): Message[] {
  return messages.filter((message) => !isUpdate(message) || updates.some((one) => isUpdateOf(message, one)));
}

/** Where in a history each update stands, in their order; -1 for one that is not there. */
export function updatePlaces(updates: readonly Update[], history: readonly Message[]): number[] {
  let from = 0;
  return updates.map((one) => {
    let place = from;
    while (place < history.length && !isUpdateOf(history[place] as Message, one)) place++;
    if (place === history.length) return -1;
    from = place + 1;
    return place;
  });
}

export function updatePlacements(updates: readonly Update[], history: readonly Message[]): Placement[] {
  const places = updatePlaces(updates, history);
  return updates.flatMap((one, index) => {
    const message = places[index] as number;
    return message === -1 ? [] : [{ slot: "update", sections: [toldIn(one)], message }];
  });
}

/** What an update tells, as words of its section. */
function toldIn({ section, text, told }: Update): SectionText {
  return told === null ? goneWords(section, text) : { ...told, name: section, text };
}

/** It stands in the history only until its words are in the prefix. An event stays there. */
export function isWaiting({ told }: Update): boolean {
  return told === null || stabilityOf(told) !== "event";
}

/** Is it what the session said then, word for word? */
export function isUpdateOf(message: Message, { section, text }: Update): boolean {
  return isUpdate(message) && "update" in message && message.update === section && message.text === text;
}
