import { kindOf } from "../prompt/argument.ts";

/** A check: what is wrong, in words, or nothing. */
export type Check = string | undefined;

/** The checks of an expectation: for each of its methods, what is wrong when it is called so. */
type Checks<Expectation> = {
  readonly [Name in keyof Expectation]: Expectation[Name] extends (...given: infer Given) => unknown
    ? (...given: Given) => Check
    : never;
};

/** Checks as methods that throw what is wrong, and can be chained. */
export function expectationOf<Expectation extends object>(checks: Checks<Expectation>): Expectation {
  const methods: Record<string, (...given: unknown[]) => Expectation> = {};
  for (const [name, check] of Object.entries(checks) as [string, (...given: unknown[]) => Check][])
    methods[name] = function expected(...given) {
      const wrong = check(...given);
      if (wrong !== undefined) throw failure(wrong, expected);
      return methods as Expectation;
    };
  return methods as Expectation;
}

/** What a function was given, in the words of a message. */
export function givenAs(value: unknown): string {
  return value === undefined ? "nothing" : kindOf(value);
}

/**
 * What every runner shows as a failed test: an error with a message. Its stack begins where the test called `called`, so
 * that the line shown is the test's. It is no `AssertionError`: some runners would look for two values to compare.
 */
export function failure(message: string, called: (...given: never[]) => unknown): Error {
  const error = new Error(message);
  error.name = "ExpectationFailed";
  // The stack of some engines holds the name that was there when it was made; not every engine can cut it.
  (Error as { captureStackTrace?: (error: Error, above: unknown) => void }).captureStackTrace?.(error, called);
  return error;
}
