import type { TurnAnswer } from "charter/answers";
import { count, timeText } from "../../kit/words.ts";

/** Where a section stands, in words. */
export const slotNames: Readonly<Record<string, string>> = {
  system: "system prompt",
  update: "update in the history",
  state: "dynamic state",
};

const maxWords = 48;

/** A turn on one line, to choose it by. */
export function turnText({ startedAt, scope, channel, input, state }: TurnAnswer): string {
  const words = [...input.replace(/\s+/g, " ").slice(0, 2 * maxWords)];
  const said = words.length > maxWords ? `${words.slice(0, maxWords).join("")}…` : words.join("");
  const where = channel === null || channel === "web" ? "" : ` on ${channel}`;
  return `${timeText(startedAt)} · ${scope.user ?? "no user"}${where} · ${state === "erased" ? "erased" : `“${said}”`}`;
}

/** By how much it is more, or less. */
export function difference(left: number, right: number): string {
  if (left === right) return "±0";
  return `${right > left ? "+" : "−"}${count(Math.abs(right - left))}`;
}
