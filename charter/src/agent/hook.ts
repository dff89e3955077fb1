import type { Message } from "../delivery/model.ts";
import { badArgument, type FieldChecks, isFunction, isObject, isPlain, isText, kindOf } from "../prompt/argument.ts";
import { listed, reasonOf } from "../prompt/problem.ts";
import type { Notice } from "../prompt/reading.ts";
import { withTimeout } from "./limits.ts";

/**
 * Your code at named moments of a turn. It may change this turn's copy of what it is given, never anything stored.
 * Hooks run in order, each with what the one before returned.
 */
export type Hook = {
  readonly name: string;
  /** The name of the moment in the system the hook comes from, used in reports. */
  readonly event?: string;
  /** Called with every failure that is reported about it. */
  readonly onFailure?: (because: string) => void;
  /** Answers for the hook if it threw or did not answer in time: a check that could not be made may refuse. */
  readonly answerOnFailure?: (because: string) => unknown;
  /** Called before anything is gathered for the message. May change the message, or handle it: then the model is not asked. */
  readonly input?: Moment<
    { readonly turn: string; readonly channel?: string; readonly input: string },
    { readonly input?: string; readonly handled?: true }
  >;
  /**
   * Called before the model is first asked. May change the input, add a message to it, and change the prompt's text for this
   * turn.
   */
  readonly "before-turn"?: Moment<
    {
      readonly turn: string;
      readonly channel?: string;
      readonly input: string;
      readonly prompt: string;
    },
    { readonly input?: string; readonly message?: string; readonly prompt?: string }
  >;
  /** Called before each step. May change its messages. */
  readonly "before-step"?: Moment<
    { readonly turn: string; readonly step: number; readonly messages: readonly Message[] },
    { readonly messages?: readonly Message[] }
  >;
  /** Called before each call. May change its input, or refuse it. */
  readonly "before-tool"?: Moment<
    { readonly turn: string; readonly tool: string; readonly call: string; readonly input: unknown },
    { readonly input?: unknown; readonly refuse?: string }
  >;
  /** Called after each call. May change the result the model gets, and whether it failed. */
  readonly "after-tool"?: Moment<
    {
      readonly turn: string;
      readonly tool: string;
      readonly call: string;
      readonly input: unknown;
      readonly output: string;
      readonly failed: boolean;
    },
    { readonly output?: string; readonly failed?: boolean }
  >;
  /** Called when the turn has ended, with how it ended. */
  readonly "after-turn"?: Moment<
    { readonly turn: string; readonly state: "answered" | "failed"; readonly reply: string | null },
    Record<string, never>
  >;
};

/** The turn's user, or `null`; and the context that was given with the turn: `runTurn({ user, context })`. */
type Requested = { readonly user: string | null; readonly context?: unknown };

/** A hook's function for one moment. Returning nothing changes nothing, so a function that only looks need not return. */
type Moment<Given, Change> = (
  given: Given & Requested,
  aside: HookContext,
) => Change | Nothing | Promise<Change | Nothing>;
// biome-ignore lint/suspicious/noConfusingVoidType: it is what such a function returns.
type Nothing = undefined | void;

/** Functions by which a hook reports more than its result while it runs. */
export type HookContext = {
  /** Warns the operator. */
  readonly notice: (notice: Notice) => void;
  /** Reports a failure as if it had thrown; its result still counts. */
  readonly reportFailure: (because: string) => void;
};

export type MomentName = "input" | "before-turn" | "before-step" | "before-tool" | "after-tool" | "after-turn";
type MomentInput<Name extends MomentName> = Omit<Parameters<NonNullable<Hook[Name]>>[0], keyof Requested>;
type MomentChange<Name extends MomentName> = Exclude<Awaited<ReturnType<NonNullable<Hook[Name]>>>, Nothing>;

/** Applies a hook's change to what the next hook is given, or says why it cannot. */
export type ApplyChange<Name extends MomentName> = (
  given: MomentInput<Name>,
  change: MomentChange<Name>,
  hook: string,
) => MomentInput<Name> | string;

export type Hooks = {
  /** Tells whether a hook listens to this moment. */
  readonly hears: (moment: MomentName) => boolean;
  /** Runs the hooks of a moment in order. `enough`: the remaining hooks need not be called. */
  readonly run: <Name extends MomentName>(
    moment: Name,
    given: MomentInput<Name>,
    take: ApplyChange<Name>,
    enough?: () => boolean,
  ) => Promise<MomentInput<Name>>;
  /** Returns the same hooks with another context, for a call that another turn of the user made. */
  readonly withContext: (context: unknown) => Hooks;
};

type HookFailure = {
  readonly kind: "hook-failed";
  readonly hook: string;
  readonly moment: string;
  readonly reason: string;
};

export type HookListener = {
  readonly onFailure: (event: HookFailure) => void;
  readonly onNotice: (notice: Notice) => void;
};

type HookOptions = Requested & { readonly signal?: AbortSignal };

/** Creates the hooks of a turn. One that throws, hangs or answers nonsense is reported by name, and the others still run. */
export function createHooks(
  hooks: readonly Hook[],
  seconds: number,
  { onFailure, onNotice }: HookListener,
  { signal, user, context }: HookOptions,
): Hooks {
  const about = { user, ...(context === undefined ? {} : { context }) };
  return {
    hears: (moment) => hooks.some((hook) => hook[moment] !== undefined),
    withContext: (other) =>
      createHooks(hooks, seconds, { onFailure, onNotice }, { ...(signal ? { signal } : {}), user, context: other }),
    run: async (moment, given, take, enough = () => false) => {
      let now = given;
      for (const hook of hooks) {
        if (enough()) break;
        const asked = hook[moment] as ((given: object, hookContext: HookContext) => unknown) | undefined;
        if (asked === undefined) continue;
        const report = (because: string) => {
          onFailure({ kind: "hook-failed", hook: hook.name, moment: hook.event ?? moment, reason: because });
          attemptTo(() => hook.onFailure?.(because));
        };
        let isOver = false;
        const hookContext: HookContext = {
          notice: (one) => isOver || onNotice(one),
          reportFailure: (because) => isOver || report(because),
        };
        // A turn's end is reported even when the turn was stopped.
        const patient = { seconds, signal: moment === "after-turn" ? undefined : signal };
        const { answer, fault } = await attempt(
          () => asked.call(hook, { ...structuredClone(now), ...about }, hookContext),
          patient,
        );
        isOver = true;
        if (fault !== undefined) report(fault);
        const change = fault === undefined ? answer : attemptTo(() => hook.answerOnFailure?.(fault)).value;
        if (change === undefined || change === null) continue;
        if (typeof change !== "object" || Array.isArray(change)) {
          report(
            `it answered ${Array.isArray(change) ? "a list" : typeof change}, where an object or nothing is expected`,
          );
          continue;
        }
        const { value: applied = now, fault: applyFault } = attemptTo(() =>
          take(now, change as MomentChange<typeof moment>, hook.name),
        );
        if (applyFault !== undefined) report(`its answer cannot be read: ${applyFault}`);
        else if (typeof applied === "string") report(applied);
        else now = applied;
      }
      return now;
    },
  };
}

type AttemptResult<Value> = { readonly value?: Value; readonly fault?: string };

/** Runs code that reads a hook's answer, which may be anything: a getter that throws, a circle. */
function attemptTo<Value>(work: () => Value): AttemptResult<Value> {
  try {
    return { value: work() };
  } catch (error) {
    return { fault: reasonOf(error) };
  }
}

type AttemptOptions = { readonly seconds: number; readonly signal: AbortSignal | undefined };
type HookAnswer = { readonly answer?: unknown; readonly fault?: string };

async function attempt(ask: () => unknown, { seconds, signal }: AttemptOptions): Promise<HookAnswer> {
  try {
    const work = Promise.resolve(ask()).then((answer): HookAnswer => ({ answer }));
    const onTimeout = (): HookAnswer => ({
      fault: signal?.aborted ? "it had not answered when the turn was stopped" : `it did not answer in ${seconds} s`,
    });
    return await withTimeout(seconds * 1000, work, onTimeout, signal);
  } catch (error) {
    return { fault: `it threw: ${reasonOf(error)}` };
  }
}

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

/** Checks a hook, and names a moment that is misspelt, since it would never come. */
export function checkHook(hook: Hook, index: number): void {
  const label = `Hook ${index + 1} of the list`;
  const hint = `Give { name, … }, with functions for some of ${listed(Object.keys(fields).slice(4))}.`;
  if (!isObject(hook) || !isText(hook.name)) throw badArgument(`${label} is ${kindOf(hook)}, or has no name.`, hint);
  for (const [field, value] of Object.entries(hook)) {
    const fits = Object.hasOwn(fields, field) ? fields[field as keyof Hook] : undefined;
    if (!fits && (value === undefined || !isPlain(hook))) continue;
    if (!fits) throw badArgument(`${label} (“${hook.name}”) has “${field}”, which is no moment of a turn.`, hint);
    if (value !== undefined && !fits(value))
      throw badArgument(`The “${field}” of hook “${hook.name}” is ${kindOf(value)}.`, hint);
  }
}
