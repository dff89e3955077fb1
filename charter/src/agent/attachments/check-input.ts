import {
  anyValue,
  badArgument,
  checkOptions,
  type FieldChecks,
  isFunction,
  isObject,
  isText,
  laterChecked,
  optional,
} from "../../prompt/argument.ts";
import { Problem } from "../../prompt/problem.ts";
import { limitsOf } from "../limits.ts";
import { isStandardSchema } from "../standard-schema.ts";
import type { TurnInput } from "../turn-input.ts";

const turnChecks: FieldChecks<TurnInput> = {
  input: [laterChecked, ""],
  user: optional([isText, "Give the user's name, as the store has it."]),
  channel: optional([isText, "Give the channel's name."]),
  zone: optional([isText, "Give a time zone, as in Europe/Rome."]),
  session: optional([isText, "Give a session's id, “new” or “none”."]),
  beginsAfter: optional([isText, "Give the id of a turn, and session: “new”."]),
  id: optional([isText, "Give an id of your own, as text."]),
  limits: optional([isObject, "Give limits by name: { steps: 10 }."]),
  foreign: optional([(value) => value === true, "Give true, or leave it out."]),
  typed: optional([isText, "Give what the person typed, as text."]),
  context: anyValue,
  output: optional([isSchema, "Give a schema of zod, valibot or arktype, or a JSON Schema."]),
  isStillWanted: optional([isFunction, "Give a function: async () => true."]),
};

function isSchema(value: unknown): boolean {
  return isObject(value) || isStandardSchema(value);
}

/** Refuses what is no input of a turn, before anything is stored. */
export function checkInput(asked: TurnInput): void {
  if (typeof asked === "string")
    throw new Problem("bad-input", "A turn was asked with a text alone.", "Give runTurn({ input: text }).");
  checkOptions("runTurn", asked, turnChecks);
  limitsOf(asked.limits);
  if (asked.beginsAfter !== undefined && asked.session !== "new")
    throw badArgument("`beginsAfter` was given without a new session.", 'Give session: "new", too.');
}

/** What a person typed is a part of what they say, to the letter. */
export function checkTyped({ typed }: TurnInput, input: string): void {
  if (typed === undefined || input.includes(typed)) return;
  throw badArgument("The `typed` that runTurn was given is not in its input.", "Give the words as the input has them.");
}
