import { countCharacters } from "../prompt/character.ts";
import { maxCompactChars, splitCompactLine } from "../prompt/compact-line.ts";
import type { Change } from "./guard.ts";
import type { Refusal } from "./refusal.ts";

/** What is wrong with the compact line a change brings. What the line says is the guards' to judge, as of the whole text. */
export function compactLineRefusal({ placed: { section }, operation, after }: Change): Refusal | undefined {
  const no = (because: string) => ({ guard: "compact-line", because: `“${section.name}” ${because}` });
  const given = "content" in operation ? operation.compact : undefined;
  if (section.compact !== "line")
    return given === undefined ? undefined : no("has no line of its own in the compact edition: leave out compact.");
  if (operation.kind === "reset") return undefined;
  const { line } = splitCompactLine(after);
  if (given !== undefined && line !== given.trim())
    return no("would have a compact line that is not one line, or without words above it.");
  const characters = line === undefined ? 0 : countCharacters(line);
  return characters > maxCompactChars
    ? no(`would have a compact line of ${characters} characters; the limit is ${maxCompactChars}.`)
    : undefined;
}
