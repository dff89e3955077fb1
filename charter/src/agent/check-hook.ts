import { badArgument, type FieldChecks, isFunction, isObject, isPlain, isText, kindOf } from "../prompt/argument.ts";
import { listed } from "../prompt/problem.ts";
import type { Hook } from "./hook.ts";

const fields: { readonly [Name in keyof FieldChecks<Hook>]: (value: unknown) => boolean } = {
  name: isText,
  event: isText,
  onFailure: isFunction,
  answerOnFailure: isFunction,
  input: isFunction,
  "before-turn": isFunction,
  "before-step": isFunction,
  "before-tool": isFunction,
  "after-tool": isFunction,
  "after-turn": isFunction,
};

/** A moment that is misspelt would never come: it is named. */
export function checkHook(hook: Hook, index: number): void {
  const which = `Hook ${index + 1} of the list`;
  const hint = `Give { name, … }, with functions for some of ${listed(Object.keys(fields).slice(4))}.`;
  if (!isObject(hook) || !isText(hook.name)) throw badArgument(`${which} is ${kindOf(hook)}, or has no name.`, hint);
  for (const [field, value] of Object.entries(hook)) {
    const fits = Object.hasOwn(fields, field) ? fields[field as keyof Hook] : undefined;
    if (!fits && (value === undefined || !isPlain(hook))) continue;
    if (!fits) throw badArgument(`${which} (“${hook.name}”) has “${field}”, which is no moment of a turn.`, hint);
    if (value !== undefined && !fits(value))
      throw badArgument(`The “${field}” of hook “${hook.name}” is ${kindOf(value)}.`, hint);
  }
}
