import { badArgument, isFunction, isObject, isText, kindOf } from "../prompt/argument.ts";
import type { PlacedSection } from "../prompt/charter.ts";
import type { Actor } from "../prompt/section.ts";
import type { Operation, Refusal } from "./operation.ts";

/** A change as a guard sees it: the section, the text before and after, who changes it, and in which turn. */
export type Change = {
  /** The section, and the layer it is declared in. */
  readonly placed: PlacedSection;
  readonly operation: Operation;
  readonly actor: Actor;
  readonly original: string;
  readonly before: string;
  readonly after: string;
  /** The section's current revision, and the one the proposal is based on. */
  readonly revision: number;
  readonly base: number | undefined;
  readonly turn: TurnFacts;
};

/** Facts about the turn a proposal comes from. */
export type TurnFacts = {
  /** Shows that untrusted text is in the turn's context. */
  readonly tainted: boolean;
  /** Names that untrusted text, in words that go on after “because”. */
  readonly taintedBy?: string;
  /** The words of the turn's input that its user typed, where any are known to be. */
  readonly typed?: string;
  /** Number of amendments the turn has made so far. */
  readonly amendments: number;
  /** The state its agent's loop is in. */
  readonly state: string;
  /** The user whose turn it is. A job, the operator's own turn and one that an agent takes by itself have none. */
  readonly user?: string;
};

/** The facts of a proposal that comes from no turn: no untrusted text, no amendments so far. The default of `amend`. */
export const quietTurn: TurnFacts = { tainted: false, amendments: 0, state: "ExecutingActions" };

/**
 * Checks one change and returns an objection, or nothing. Write your own as a pure function, so that a dry run and the real
 * change agree.
 */
export type Guard = {
  (change: Change): Refusal | undefined;
  /** Marks a guard that reads the whole text word by word: it is not asked about a long text that `sizeLimit` refuses. */
  readonly reads?: true;
};

/** Makes a guard that goes into a list as it is; calling it like a factory throws a Problem. */
export function bareGuard(name: string, guard: (change: Change) => Refusal | undefined): Guard {
  const checked: Guard = (change) => {
    if (isObject(change?.placed)) return guard(change);
    throw badArgument(
      `The change that ${name} was given is ${kindOf(change)}.`,
      `It is a guard by itself, and is not called: guards: [${name}].`,
    );
  };
  return Object.defineProperty(checked, "name", { value: name });
}

/** Marks a guard as one that reads the whole text. */
export function readingGuard(guard: (change: Change) => Refusal | undefined): Guard {
  return Object.assign(guard, { reads: true as const });
}

/** Wraps a guard and rephrases its objections. */
export function rephrased(guard: Guard, phrase: (refusal: Refusal) => Refusal | undefined): Guard {
  const asked: Guard = (change) => {
    const refusal = askGuard(guard, change);
    return refusal && phrase(refusal);
  };
  return isReading(guard) ? readingGuard(asked) : asked;
}

/** Shows that a change restores the operator's own text: guards have nothing to object to its words. */
export function bringsOwnWords({ operation }: Change): boolean {
  return operation.kind === "reset";
}

const guardWanted = "A guard is a function that gives { guard, because }, or nothing where it has no objection.";

/** Maximum number of UTF-16 units of a text that every guard reads, because that takes no time worth saving. */
const maxQuickChars = 16_384;

/**
 * Collects the objections of all guards to a change, in their order. A long text that is too large for its section is not read
 * for other faults.
 */
export function askGuards(guards: readonly Guard[], change: Change): Refusal[] {
  const objections = guards.map((guard) => (isReading(guard) ? undefined : askGuard(guard, change)));
  const isTooLarge =
    change.after.length > maxQuickChars && objections.some((refusal) => refusal?.guard === "size-limit");
  return guards.flatMap(
    (guard, index) => (isReading(guard) && !isTooLarge ? askGuard(guard, change) : objections[index]) ?? [],
  );
}

function isReading(guard: Guard): boolean {
  return isFunction(guard) && guard.reads === true;
}

/**
 * Asks one guard. An answer that is neither an objection nor nothing throws a Problem, so that the change is not made unjudged.
 */
function askGuard(guard: Guard, change: Change): Refusal | undefined {
  if (!isFunction(guard)) throw badArgument(`A guard among the rules is ${kindOf(guard)}.`, guardWanted);
  const objection: unknown = guard(change);
  if (objection === undefined) return undefined;
  const { guard: by, because } = Object(objection) as Partial<Refusal>;
  if (isText(by) && isText(because)) return objection as Refusal;
  const name = guard.name === "" ? "A guard" : `The guard “${guard.name}”`;
  throw badArgument(
    `${name} gave ${kindOf(objection)} in place of an objection.`,
    typeof objection === "function" ? `Call it in the list: ${guard.name || "guard"}(…). ${guardWanted}` : guardWanted,
  );
}
