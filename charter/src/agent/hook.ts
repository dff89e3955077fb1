import type { Message } from "../delivery/model.ts";
import type { Notice } from "../prompt/notice.ts";
import { reasonOf } from "../prompt/problem.ts";
import { within } from "./timeout.ts";

/**
 * Host code at named moments of a turn. It may change this turn's copy of what it is given, never anything stored.
 * Hooks are asked in order, each with what the one before made of it.
 */
export type Hook = {
  readonly name: string;
  /** What its moment is called where the hook comes from: reports use that word. */
  readonly event?: string;
  /** Told of everything that is reported of it. */
  readonly failed?: (because: string) => void;
  /** Answers for it when it threw or did not answer in time: a guard that could not look may refuse. */
  readonly instead?: (because: string) => unknown;
  /** May change what a turn is asked before anything is gathered for it, or take it: then the model is not asked. */
  readonly input?: Moment<
    { readonly turn: string; readonly user?: string; readonly channel?: string; readonly input: string },
    { readonly input?: string; readonly handled?: true }
  >;
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
  /** May change what the model is told a call came to, and whether it failed. */
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
  readonly "after-turn"?: Moment<
    { readonly turn: string; readonly state: "answered" | "failed"; readonly reply: string | null },
    Record<string, never>
  >;
};

/** Nothing said is nothing changed: also by a function that only looks, and gives nothing back. */
type Moment<Given, Change> = (given: Given, aside: Aside) => Change | Nothing | Promise<Change | Nothing>;
// biome-ignore lint/suspicious/noConfusingVoidType: it is what such a function returns.
type Nothing = undefined | void;

/** What a hook can say besides its answer, while it is asked; nobody listens once it was given up on. */
export type Aside = {
  readonly notice: (notice: Notice) => void;
  /** Something in it failed: reported as if it had thrown that, and its answer still counts. */
  readonly failed: (because: string) => void;
};

export type MomentName = "input" | "before-turn" | "before-step" | "before-tool" | "after-tool" | "after-turn";
type GivenAt<Name extends MomentName> = Parameters<NonNullable<Hook[Name]>>[0];
type ChangeAt<Name extends MomentName> = Exclude<Awaited<ReturnType<NonNullable<Hook[Name]>>>, Nothing>;

/** Takes a hook's change over into what the next hook is given, or says why it cannot be taken. */
export type Take<Name extends MomentName> = (
  given: GivenAt<Name>,
  change: ChangeAt<Name>,
  hook: string,
) => GivenAt<Name> | string;

export type Hooks = {
  /** `enough`: the hooks that are left need not be asked. */
  readonly run: <Name extends MomentName>(
    moment: Name,
    given: GivenAt<Name>,
    take: Take<Name>,
    enough?: () => boolean,
  ) => Promise<GivenAt<Name>>;
};

export type HookFailed = {
  readonly kind: "hook-failed";
  readonly hook: string;
  readonly moment: string;
  readonly because: string;
};

export type Listening = {
  readonly failed: (event: HookFailed) => void;
  readonly notice: (notice: Notice) => void;
};

/** One that throws, hangs or answers nonsense is reported by name, and the others still run. */
export function createHooks(
  hooks: readonly Hook[],
  seconds: number,
  { failed, notice }: Listening,
  signal?: AbortSignal,
): Hooks {
  return {
    run: async (moment, given, take, enough = () => false) => {
      let now = given;
      for (const hook of hooks) {
        if (enough()) break;
        const asked = hook[moment] as ((given: object, aside: Aside) => unknown) | undefined;
        if (asked === undefined) continue;
        const report = (because: string) => {
          failed({ kind: "hook-failed", hook: hook.name, moment: hook.event ?? moment, because });
          attemptTo(() => hook.failed?.(because));
        };
        let over = false;
        const aside: Aside = {
          notice: (one) => over || notice(one),
          failed: (because) => over || report(because),
        };
        // What a turn came to is told also when it was stopped.
        const patient = { seconds, signal: moment === "after-turn" ? undefined : signal };
        const { answer, fault } = await attempt(() => asked(structuredClone(now), aside), patient);
        over = true;
        if (fault !== undefined) report(fault);
        const change = fault === undefined ? answer : attemptTo(() => hook.instead?.(fault)).value;
        if (change === undefined || change === null) continue;
        if (typeof change !== "object" || Array.isArray(change)) {
          report(
            `it answered ${Array.isArray(change) ? "a list" : typeof change}, where an object or nothing is expected`,
          );
          continue;
        }
        const { value: taken = now, fault: unread } = attemptTo(() =>
          take(now, change as ChangeAt<typeof moment>, hook.name),
        );
        if (unread !== undefined) report(`its answer cannot be read: ${unread}`);
        else if (typeof taken === "string") report(taken);
        else now = taken;
      }
      return now;
    },
  };
}

type Attempted<Value> = { readonly value?: Value; readonly fault?: string };

/** What a hook answers may be anything: a getter that throws, a circle. */
function attemptTo<Value>(work: () => Value): Attempted<Value> {
  try {
    return { value: work() };
  } catch (error) {
    return { fault: reasonOf(error) };
  }
}

type Patient = { readonly seconds: number; readonly signal: AbortSignal | undefined };
type Answered = { readonly answer?: unknown; readonly fault?: string };

async function attempt(ask: () => unknown, { seconds, signal }: Patient): Promise<Answered> {
  try {
    const work = Promise.resolve(ask()).then((answer): Answered => ({ answer }));
    const late = (): Answered => ({
      fault: signal?.aborted ? "it had not answered when the turn was stopped" : `it did not answer in ${seconds} s`,
    });
    return await within(seconds * 1000, work, late, signal);
  } catch (error) {
    return { fault: `it threw: ${reasonOf(error)}` };
  }
}
