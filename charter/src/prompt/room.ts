import { badArgument, checkNames, kindOf } from "./argument.ts";
import type { Charter, Limit } from "./charter.ts";
import { type Edition, parseEdition } from "./edition.ts";
import { Problem } from "./problem.ts";
import type { Tokenizer } from "./tokens.ts";

/**
 * What a prompt must fit: the edition, and limits that replace the charter's own. Limits in tokens need a tokenizer.
 */
export type Room = Limit & { readonly edition?: Edition; readonly tokenizer?: Tokenizer };

/** The limits that hold for a prompt, once charter and caller have spoken. */
export type Bounds = { readonly edition: Edition; readonly tokens?: number; readonly chars?: number };

/** A limit by another name would be no limit at all. */
export function checkRoom(name: string, room: Room): void {
  checkNames<Room>(name, room, ["tokens", "chars", "edition", "tokenizer"]);
}

export function boundsOf(charter: Charter, room: Room): Bounds {
  if (typeof room !== "object" || room === null)
    throw badArgument(
      `The room is ${kindOf(room)}.`,
      "Give limits by name: { chars: 8000 } or { tokens: 2000, tokenizer }.",
    );
  checkRoom("assemble", room);
  const edition = room.edition ?? "full";
  if (edition !== "full") parseEdition(edition);
  const declared = edition === "compact" ? { ...charter.limit, ...charter.limit?.compact } : charter.limit;
  const tokens = room.tokens ?? declared?.tokens;
  const chars = room.chars ?? declared?.chars;
  for (const [name, limit] of Object.entries({ tokens, chars }))
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 0))
      throw new Problem("bad-limit", `The limit of ${limit} ${name} is no whole number.`, "Give a number from 0 up.");
  return { edition, ...(tokens === undefined ? {} : { tokens }), ...(chars === undefined ? {} : { chars }) };
}
