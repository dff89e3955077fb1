import type { Omission } from "../prompt/cut.ts";
import type { Prompt } from "../prompt/prompt.ts";
import type { Room } from "../prompt/room.ts";
import { expectationOf, failure } from "./expectation.ts";
import { checkFenced } from "./fence-check.ts";
import { checkWithin } from "./room-check.ts";
import { checkCut, checkOmitted, checkOrder, checkWhole } from "./section-check.ts";
import { checkBefore, checkFrom, checkHas, checkHasNot } from "./text-check.ts";

/**
 * What a test expects of a prompt. Each method throws what is wrong, in words, or gives the same object, so that they can
 * be chained. A text of several lines is also found where it stands quoted as a stranger's.
 */
export type PromptExpectation = {
  /** The text is in the prompt. */
  readonly has: (text: string) => PromptExpectation;
  /** The text is nowhere in the prompt. */
  readonly hasNot: (text: string) => PromptExpectation;
  /** Both texts are in the prompt, and wherever the first one stands, it stands before the second. */
  readonly before: (first: string, second: string) => PromptExpectation;
  /** These sections, by name, are in the prompt, in this order; others may stand between them. */
  readonly order: (sections: readonly string[]) => PromptExpectation;
  /** The prompt has at most so many tokens (`{ tokens, tokenizer }`) or characters (`{ chars }`). */
  readonly within: (room: Room) => PromptExpectation;
  /** The section was cut to fit. `told`: the model reads this line in place of what is missing. */
  readonly cut: (section: string, told?: string) => PromptExpectation;
  /** The section is in the prompt, and nothing of it was cut. */
  readonly whole: (section: string) => PromptExpectation;
  /** The section is not in the prompt, for this reason, where one is given. */
  readonly omitted: (section: string, reason?: Omission["reason"]) => PromptExpectation;
  /** The text is in the prompt as a stranger's, and wherever it stands, it stands behind a fence. */
  readonly fenced: (text: string) => PromptExpectation;
  /** The text is in the prompt, and wherever it stands, it is from this source. */
  readonly from: (text: string, source: string) => PromptExpectation;
};

/** What a test expects of a prompt that was assembled: `expectPrompt(prompt).has("Be kind.").whole("safety")`. */
export function expectPrompt(prompt: Prompt): PromptExpectation {
  if (!Array.isArray(prompt?.spans))
    throw failure(
      "expectPrompt takes what assemble gives. For what a model was sent, there is expectRequest.",
      expectPrompt,
    );
  return expectationOf<PromptExpectation>({
    has: (text) => checkHas(prompt, text),
    hasNot: (text) => checkHasNot(prompt, text),
    before: (first, second) => checkBefore(prompt, first, second),
    order: (sections) => checkOrder(prompt, sections),
    within: (room) => checkWithin(prompt, room),
    cut: (section, told) => checkCut(prompt, section, told),
    whole: (section) => checkWhole(prompt, section),
    omitted: (section, reason) => checkOmitted(prompt, section, reason),
    fenced: (text) => checkFenced(prompt, text),
    from: (text, source) => checkFrom(prompt, text, source),
  });
}
