import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../tiers/search.ts";
import {
  call,
  chunksOf,
  draft,
  dropped,
  end,
  failed,
  isKnown,
  messageOf,
  outcome,
  result,
  type Said,
  start,
  step,
  textOf,
} from "./said-events.ts";

test("whatever happens in a turn, the AI SDK knows every chunk, and the message's text is the reply", async () => {
  const words = fc.string({ minLength: 1, maxLength: 8, unit: "grapheme" });
  const drafts = fc.array(words, { maxLength: 3 }).map((all) => all.map(draft));
  const lost = drafts.map((all) => (all.length === 0 ? [] : [...all, dropped]));
  const noticed = fc.constantFrom<Said[]>([], [{ kind: "notice", notice: { code: "n", message: "m" } }]);
  const id = fc.constantFrom("c1", "c2");
  const called = fc.tuple(id, words, fc.boolean()).map(([one, out, bad]) => [call(one), result(one, out, bad)]);
  const toolStep = fc
    .tuple(noticed, lost, drafts, fc.array(called, { minLength: 1, maxLength: 3 }))
    .map(([a, b, c, d]) => [step(1), ...a, ...b, ...c, ...d.flat()]);
  const lastStep = fc
    .tuple(noticed, lost, fc.array(words, { minLength: 1, maxLength: 4 }), fc.boolean(), fc.boolean())
    .map(([a, b, texts, streams, fails]) => {
      const reply = texts.join("");
      const told = fails ? failed : { ...outcome, reply };
      return {
        events: [step(1), ...a, ...b, ...(streams ? texts.map(draft) : []), end(told)],
        reply: fails ? "" : reply,
      };
    });
  const hold = fc.constantFrom("stream" as const, "hold" as const);
  await fc.assert(
    fc.asyncProperty(
      fc.array(toolStep, { maxLength: 3 }),
      lastStep,
      hold,
      fc.boolean(),
      async (steps, last, how, all) => {
        const chunks = chunksOf([start, ...steps.flat(), ...last.events], { drafts: how, forOperator: all });
        const { message } = await messageOf(chunks);
        expect(textOf(message)).toBe(last.reply);
        for (const chunk of chunks) expect([chunk, await isKnown(chunk)]).toEqual([chunk, true]);
      },
    ),
    { numRuns: runs(40, 10_000) },
  );
});
