import type { Message } from "../delivery/model.ts";
import { reasonOf } from "../prompt/problem.ts";
import { within } from "./patience.ts";

/**
 * Host code at named moments of a turn. It may change this turn's copy of what it is given, never anything stored.
 * Hooks are asked in order, each with what the one before made of it.
 */
export type Hook = {
  readonly name: string;
  /** May change the input, add a message to it, and change the prompt's text for this turn. */
  readonly "before-turn"?: Moment<
    {
      readonly turn: string;
      readonly user?: string;
      readonly channel?: string;
      readonly input: string;
      readonly prompt: string;
    },
    { readonly input?: string; readonly message?: string; readonly prompt?: string }
  >;
  /** May change the messages of this step. */
  readonly "before-step"?: Moment<
    { readonly turn: string; readonly step: number; readonly messages: readonly Message[] },
    { readonly messages?: readonly Message[] }
  >;
  /** May change a call's input, or refuse the call. */
  readonly "before-tool"?: Moment<
    { readonly turn: string; readonly tool: string; readonly call: string; readonly input: unknown },
    { readonly input?: unknown; readonly refuse?: string }
  >;
  /** May change what the model is told a call came to. */
  readonly "after-tool"?: Moment<
    {
      readonly turn: string;
      readonly tool: string;
      readonly call: string;
      readonly output: string;
      readonly failed: boolean;
    },
    { readonly output?: string }
  >;
  readonly "after-turn"?: Moment<
    { readonly turn: string; readonly state: "answered" | "failed"; readonly reply: string | null },
    Record<string, never>
  >;
};

/** Nothing said is nothing changed: also by a function that only looks, and gives nothing back. */
type Moment<Given, Change> = (given: Given) => Change | Nothing | Promise<Change | Nothing>;
// biome-ignore lint/suspicious/noConfusingVoidType: it is what such a function returns.
type Nothing = undefined | void;

export type MomentName = Exclude<keyof Hook, "name">;
type GivenAt<Name extends MomentName> = Parameters<NonNullable<Hook[Name]>>[0];
type ChangeAt<Name extends MomentName> = Exclude<Awaited<ReturnType<NonNullable<Hook[Name]>>>, Nothing>;

/** Takes a hook's change over into what the next hook is given, or says why it cannot be taken. */
export type Take<Name extends MomentName> = (
  given: GivenAt<Name>,
  change: ChangeAt<Name>,
  hook: string,
) => GivenAt<Name> | string;

export type Hooks = {
  readonly run: <Name extends MomentName>(
    moment: Name,
    given: GivenAt<Name>,
    take: Take<Name>,
  ) => Promise<GivenAt<Name>>;
};

type Failed = (event: {
  readonly kind: "hook-failed";
  readonly hook: string;
  readonly moment: MomentName;
  readonly because: string;
}) => void;

const none = Symbol("none");

/** One that throws, hangs or answers nonsense is reported by name, and the others still run. */
export function createHooks(hooks: readonly Hook[], seconds: number, failed: Failed, signal?: AbortSignal): Hooks {
  return {
    run: async (moment, given, take) => {
      let now = given;
      for (const hook of hooks) {
        const asked = hook[moment] as ((given: object) => unknown) | undefined;
        if (asked === undefined) continue;
        const report = (because: string) => failed({ kind: "hook-failed", hook: hook.name, moment, because });
        // What a turn came to is told also when it was stopped.
        const patient = { seconds, signal: moment === "after-turn" ? undefined : signal };
        const change = await attempt(() => asked(structuredClone(now)), patient, report);
        if (change === none || change === undefined || change === null) continue;
        if (typeof change !== "object" || Array.isArray(change)) {
          report(
            `it answered ${Array.isArray(change) ? "a list" : typeof change}, where an object or nothing is expected`,
          );
          continue;
        }
        const taken = attemptTo(() => take(now, change as ChangeAt<typeof moment>, hook.name));
        if (typeof taken === "string") report(taken);
        else now = taken;
      }
      return now;
    },
  };
}

/** What a hook answers may be anything: a getter that throws, a circle. */
function attemptTo<Given>(take: () => Given | string): Given | string {
  try {
    return take();
  } catch (error) {
    return `its answer cannot be read: ${reasonOf(error)}`;
  }
}

type Patient = { readonly seconds: number; readonly signal: AbortSignal | undefined };

async function attempt(
  ask: () => unknown,
  { seconds, signal }: Patient,
  report: (because: string) => void,
): Promise<unknown> {
  try {
    const work = Promise.resolve(ask());
    const late = () => {
      report(signal?.aborted ? "it had not answered when the turn was stopped" : `it did not answer in ${seconds} s`);
      return none;
    };
    return await within(seconds * 1000, work, late, signal);
  } catch (error) {
    report(`it threw: ${reasonOf(error)}`);
    return none;
  }
}
