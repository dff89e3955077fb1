import type { Delivery } from "../../delivery/deliver.ts";
import type { Message } from "../../delivery/model.ts";
import { plainMessages } from "../../delivery/plain-message.ts";
import { isUpdate, updatePlacements } from "../../delivery/update.ts";
import { sha256 } from "../../store/texts/packing.ts";
import type { ApplyChange } from "../hook.ts";
import { paired } from "./paired.ts";
import { noticeMarkRemoved, type TurnIdentity } from "./turn-state.ts";

/** What hooks make of one step's messages. Updates of the prompt are the prompt's words: they stay, each as it is. */
export async function beforeStep(who: TurnIdentity, delivery: Delivery, step: number): Promise<Delivery> {
  const { history, request, marks } = delivery;
  const take: ApplyChange<"before-step"> = (now, change) => {
    if (change.messages === undefined) return now;
    // They are digested and sent as JSON: what cannot be written so shows here, and nothing in them changes later.
    const given: unknown = JSON.parse(JSON.stringify(change.messages) ?? "null");
    if (!Array.isArray(given) || !given.every(isMessage)) return "its messages are no list of messages";
    const updates = (messages: readonly Message[]) => JSON.stringify(messages.filter(isUpdate));
    if (updates(given) !== updates(history))
      return "it dropped or changed text of the prompt among the messages; its result is discarded";
    if (given.every(isUpdate)) return "it left nothing of what was said; its result is discarded";
    return { ...now, messages: paired(given) };
  };
  const given = { turn: who.id, step, messages: history };
  const { messages: hooked } = await who.hooks.run("before-step", given, take);
  if (hooked === history) return delivery;
  const messages = plainMessages(hooked, delivery.baseline, sha256);
  if (messages !== hooked) noticeMarkRemoved(who);
  const tail = request.messages.slice(history.length);
  const marked = messages.map((message, index) =>
    marks.length > 0 && index === messages.length - 1 ? { ...message, breakpoint: true as const } : message,
  );
  const after = marks.length > 0 && messages.length > 0 ? [messages.length] : [];
  const others = delivery.placements.filter(({ slot }) => slot !== "update");
  const placements = [
    ...others.filter(({ slot }) => slot !== "state"),
    ...updatePlacements(delivery.baseline.updates, messages),
    ...others.flatMap((one) => (one.slot === "state" ? [{ ...one, message: messages.length }] : [])),
  ];
  return {
    ...delivery,
    placements,
    history: messages,
    marks: after,
    request: { ...request, messages: [...marked, ...tail] },
  };
}

function isMessage(value: unknown): value is Message {
  const { role, text, calls, results } = (value ?? {}) as Record<string, unknown>;
  if (role === "user" || role === "system") return typeof text === "string";
  if (role === "assistant") return typeof text === "string" && areTexts(calls, ["id", "name", "input"]);
  return role === "tool" && areTexts(results, ["call", "name", "output"]);
}

/** A list of objects with these texts in each. */
function areTexts(value: unknown, names: readonly string[]): boolean {
  const whole = (one: unknown) =>
    names.every((name) => typeof (one as Record<string, unknown> | null)?.[name] === "string");
  return Array.isArray(value) && value.every(whole);
}
