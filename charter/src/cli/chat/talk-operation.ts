import { commandCaller } from "../../operations/caller.ts";
import type { Fields, ValuesOf } from "../../operations/field.ts";
import type { Operation, OperationContext } from "../../operations/operation.ts";
import type { Talk } from "./talk.ts";

/** Whoever talks at a terminal has the database, and asks as its operator does. */
export function contextOf({ store, host, user: operator }: Talk): OperationContext {
  const clock = () => new Date();
  return { store, host: async () => host(), caller: commandCaller, clock, operator, service: {} };
}

/** Does an operation in a chat. */
export async function ran<Input extends Fields, Answer>(
  talk: Talk,
  { run }: Operation<Input, Answer>,
  input: ValuesOf<Input>,
): Promise<Answer> {
  return (run as NonNullable<typeof run>)(contextOf(talk), input);
}
