import { kindOf } from "../prompt/argument.ts";
import type { Room } from "../prompt/assemble.ts";
import { type Check, promptChecks } from "../prompt/expectation.ts";
import type { Omission } from "../prompt/plan.ts";
import type { Prompt } from "../prompt/prompt.ts";

/**
 * Expectations of a test about a prompt. Each method throws what is wrong, in words, or returns the same object, so that they can
 * be chained. A text of several lines is also found where it is quoted as a stranger's.
 */
export type PromptExpectation = {
  /** Expects the text in the prompt. */
  readonly has: (text: string) => PromptExpectation;
  /** Expects the text nowhere in the prompt. */
  readonly hasNot: (text: string) => PromptExpectation;
  /** Expects both texts in the prompt, every occurrence of the first before any of the second. */
  readonly before: (first: string, second: string) => PromptExpectation;
  /** Expects these sections, by name, in the prompt, in this order; others may stand between them. */
  readonly order: (sections: readonly string[]) => PromptExpectation;
  /** Expects at most this many tokens (`{ tokens, tokenizer }`) or characters (`{ chars }`). */
  readonly within: (room: Room) => PromptExpectation;
  /** Expects that the section was cut to fit. `told`: the model reads this line in place of what is missing. */
  readonly cut: (section: string, told?: string) => PromptExpectation;
  /** Expects the section in the prompt, uncut. */
  readonly whole: (section: string) => PromptExpectation;
  /** Expects that the section is not in the prompt, for this reason, where one is given. */
  readonly omitted: (section: string, reason?: Omission["reason"]) => PromptExpectation;
  /** Expects the text in the prompt as a stranger's, every occurrence of it behind a fence. */
  readonly fenced: (text: string) => PromptExpectation;
  /** Expects the text in the prompt, every occurrence of it from this source. */
  readonly from: (text: string, source: string) => PromptExpectation;
};

/** States what a test expects of an assembled prompt: `expectPrompt(prompt).has("Be kind.").whole("safety")`. */
export function expectPrompt(prompt: Prompt): PromptExpectation {
  if (!Array.isArray(prompt?.spans))
    throw failure(
      "expectPrompt takes what assemble gives. For what a model was sent, there is expectRequest.",
      expectPrompt,
    );
  return expectationOf<PromptExpectation>(promptChecks(prompt));
}

/** The checks of an expectation: for each of its methods, what is wrong, if anything. */
type Checks<Expectation> = {
  readonly [Name in keyof Expectation]: Expectation[Name] extends (...given: infer Given) => unknown
    ? (...given: Given) => Check
    : never;
};

/** Makes methods of checks that throw what is wrong, and can be chained. */
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

/** Names a given value in the words of a message. */
export function givenAs(value: unknown): string {
  return value === undefined ? "nothing" : kindOf(value);
}

/**
 * Makes an error that every runner shows as a failed test. Its stack begins where the test called `called`, so that the line
 * shown is the test's. It is no `AssertionError`: some runners would look for two values to compare.
 */
export function failure(message: string, called: (...given: never[]) => unknown): Error {
  const error = new Error(message);
  error.name = "ExpectationFailed";
  // Engines may store the error's name in its stack when it is made; not every one can cut the stack.
  (Error as { captureStackTrace?: (error: Error, above: unknown) => void }).captureStackTrace?.(error, called);
  return error;
}
