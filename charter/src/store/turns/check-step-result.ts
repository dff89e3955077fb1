import { badArgument, isList, isRecord, isText, kindOf } from "../../prompt/argument.ts";
import { listed } from "../../prompt/problem.ts";
import type { StepResult } from "../../prompt/step-result.ts";

/** Looks at a value, and throws what is wrong with it. `path` is where it stands in the result. */
type Check = (value: unknown, path: string) => void;

/**
 * Refuses a result that the session's history could not be made from: recorded, it would break every later turn, or be
 * left out of it unnoticed. The field that does not fit is named.
 */
export function checkStepResult(result: StepResult): void {
  checkResult(result, "");
  const { answer, results = [] } = result;
  // A receiver that had its calls run while it answered need not name them in its answer.
  const calls = answer?.calls ?? [];
  // Some may have none yet: a loop may run its calls side by side.
  let at = -1;
  const strayed =
    calls.length > 0
      ? results.findIndex(({ call }) => {
          at = calls.findIndex(({ id }, index) => index > at && id === call);
          return at === -1;
        })
      : -1;
  if (strayed === -1) return;
  const path = `results[${strayed}].call`;
  const hint = "Give the results in the order of the calls, each with the id of its call.";
  throw badArgument(`The \`${path}\` of a step's result is no call that comes after the one before it.`, hint);
}

function is(fits: (value: unknown) => boolean, wanted: string): Check {
  return (value, path) => {
    if (!fits(value)) throw misfit(path, kindOf(value), `Give ${wanted}.`);
  };
}

function listOf(check: Check): Check {
  return (value, path) => {
    if (!isList(value)) throw misfit(path, kindOf(value), "Give a list, [] for none.");
    for (const [index, one] of (value as readonly unknown[]).entries()) check(one, `${path}[${index}]`);
  };
}

/** An object with these fields and no other; those of the second list may be left out. */
function objectOf(fields: Readonly<Record<string, Check>>, optional: Readonly<Record<string, Check>>): Check {
  const all = { ...fields, ...optional };
  const shown = [...Object.keys(fields), ...Object.keys(optional).map((field) => `${field}?`)].join(", ");
  return (value, path) => {
    if (!isRecord(value)) throw misfit(path, kindOf(value), `Give { ${shown} }.`);
    const within = (field: string) => (path === "" ? field : `${path}.${field}`);
    const unknown = Object.keys(value).find((field) => value[field] !== undefined && !Object.hasOwn(all, field));
    const known = Object.keys(all).filter((field) => value[field] !== undefined || Object.hasOwn(fields, field));
    const lacking = Object.keys(fields).some((field) => value[field] === undefined);
    if (unknown !== undefined || lacking) refuseAiSdk(value, path);
    if (unknown !== undefined)
      throw badArgument(`A step's result has no \`${within(unknown)}\`.`, `It takes ${listed(Object.keys(all))}.`);
    for (const field of known) all[field]?.(value[field], within(field));
  };
}

/** Names that only the AI SDK has: its results and messages look alike, and would lose their calls. */
const aiSdkNames = [
  "toolCalls",
  "toolResults",
  "toolCallId",
  "toolName",
  "finishReason",
  "inputTokens",
  "outputTokens",
];

function refuseAiSdk(value: Readonly<Record<string, unknown>>, path: string): void {
  const message = value.role === "assistant" || value.role === "tool" ? "content" : undefined;
  const found = aiSdkNames.find((name) => value[name] !== undefined) ?? message;
  if (found === undefined) return;
  const where = path === "" ? "A step's result" : `The \`${path}\` of a step's result`;
  throw badArgument(
    `${where} has \`${found}\`: it is in the form of the AI SDK, and its tool calls would be lost.`,
    "Make an answer of it with `fromAiSdk` of charter/delivery, and record that.",
  );
}

function misfit(path: string, kind: string, hint: string) {
  return badArgument(
    path === "" ? `A step's result is ${kind}.` : `The \`${path}\` of a step's result is ${kind}.`,
    hint,
  );
}

const text = is(isText, "a text");
const yes = is((value) => value === true, "true, or leave it out");
const object = is(isRecord, "an object");
const anything: Check = () => {};
const count = is((value) => value === null || typeof value === "number", "a number, or null where nobody counted");

const fields: { readonly [Field in keyof StepResult]-?: Check } = {
  input: text,
  acted: yes,
  answer: objectOf({ text, calls: listOf(objectOf({ id: text, name: text, input: text }, {})) }, { native: anything }),
  results: listOf(
    objectOf(
      { call: text, name: text, output: text },
      { failed: yes, shortened: yes, whole: objectOf({ text }, { foreign: yes }) },
    ),
  ),
  finish: text,
  usage: objectOf({ input: count, read: count, written: count, output: count }, {}),
  partial: text,
  correction: text,
  steering: listOf(text),
  summary: text,
  because: objectOf({ code: text, message: text }, {}),
  faults: listOf(object),
  ownTools: listOf(object),
  notices: listOf(object),
  sent: object,
  opinions: listOf(object),
};

const checkResult = objectOf({}, fields);
