import fc from "fast-check";
import { get_encoding } from "tiktoken";
import { expect, test } from "vitest";
import { loadTokenizer } from "../../src/delivery/tokenizer.ts";
import { assemble, type Charter, defineCharter, fromText, type Prompt, type Readings, why } from "../../src/index.ts";
import { runs } from "../tiers/search.ts";
import { always, editions, given, hostile, sectionsOf } from "./generate.ts";

const anything = given({ words: hostile });

function expectTiled(charter: Charter, prompt: Prompt): void {
  const owners = new Map(sectionsOf(charter).map(({ section, layer }) => [section.name, layer.name]));
  for (const rows of [prompt.spans.map((span) => ({ ...span, name: span.section })), prompt.sections]) {
    let at = 0;
    for (const { start, end, name, layer, source } of rows) {
      expect(start).toBe(at);
      expect(end).toBeGreaterThanOrEqual(start);
      expect(owners.get(name)).toBe(layer);
      expect(source).not.toBe("");
      at = end;
    }
    expect(at).toBe(prompt.text.length);
  }
  for (const span of prompt.spans) {
    const row = prompt.sections.find(({ name }) => name === span.section);
    expect(row && row.start <= span.start && span.end <= row.end).toBe(true);
  }
}

test("spans and section rows tile the text, and each has an owner", () => {
  always(
    [anything, editions, fc.double({ min: 0.3, max: 1, noNaN: true })],
    ({ charter, readings }, edition, share) => {
      const whole = assemble(charter, readings, { edition });
      expectTiled(charter, whole);
      let cut: Prompt | undefined;
      try {
        cut = assemble(charter, readings, { edition, chars: Math.floor(whole.text.length * share) });
      } catch {}
      if (cut) expectTiled(charter, cut);
    },
  );
});

test("every part that is shown is blamed on its own source and id", () => {
  always([given({ words: fc.constant("plain words"), trusts: ["own"] })], ({ charter, readings }) => {
    const prompt = assemble(charter, readings);
    for (const [name, reading] of Object.entries(readings)) {
      if (reading.status !== "present") continue;
      for (const [index, part] of reading.parts.entries()) {
        const [found] = why(prompt, `Z${name}p${index}Z`);
        const span = prompt.spans.find((one) => one.part === part.id);
        if (!found) continue;
        expect(found.spans).toEqual([span]);
        expect(span).toMatchObject({ section: name, source: part.source ?? "source", part: part.id });
      }
    }
  });
});

test("why answers, for any words of a prompt and every place they stand in, with the spans they lie in", () => {
  always(
    [anything, editions, fc.nat(), fc.integer({ min: 1, max: 60 })],
    ({ charter, readings }, edition, from, length) => {
      const prompt = assemble(charter, readings, { edition });
      if (prompt.text === "") return;
      const start = from % prompt.text.length;
      const words = prompt.text.slice(start, start + length);
      const found = why(prompt, words);
      expect(found.map((one) => one.start)).toContain(start);
      for (const one of found) {
        expect(prompt.text.slice(one.start, one.end)).toBe(words);
        const expected = prompt.spans.filter(
          (span) => span.start < one.end && span.end > one.start && span.start < span.end,
        );
        expect(one.spans.filter((span) => span.start < span.end)).toEqual(expected);
        expect(expected.length).toBeGreaterThan(0);
      }
    },
  );
});

const silentRows: [what: string, charter: Charter, readings: Readings, edition: "full" | "compact"][] = [
  [
    "a part that comes to nothing before a closing",
    {
      name: "c",
      layers: [
        { name: "l", mutability: "live", sections: [{ name: "s", closing: "End.", trust: "own", sources: [] }] },
      ],
    },
    { s: fromText("\u0085") },
    "full",
  ],
  [
    "a headless section whose only part has an empty short form, in the compact edition",
    {
      name: "c",
      layers: [
        {
          name: "l",
          mutability: "live",
          sections: [
            { name: "s", trust: "own", sources: [], compact: "short" },
            { name: "t", words: "After." },
          ],
        },
      ],
    },
    { s: { status: "present", parts: [{ text: "Before.", short: "" }] } },
    "compact",
  ],
  [
    "a headless section with empty words",
    {
      name: "c",
      layers: [
        {
          name: "l",
          mutability: "live",
          sections: [
            { name: "s", words: "" },
            { name: "t", words: "After." },
          ],
        },
      ],
    },
    {},
    "full",
  ],
];
for (const [what, charter, readings, edition] of silentRows)
  test(`every byte has an owner, counterexample: ${what}`, () => {
    const prompt = assemble(defineCharter(charter), readings, { edition });
    expectTiled(charter, prompt);
    for (let at = 0; at < prompt.text.length; at++)
      expect(why(prompt, prompt.text.slice(at)).length).toBeGreaterThan(0);
  });

// Tokens.

const tokenizers = await Promise.all(["o200k_base", "cl100k_base"].map(loadTokenizer));
const oracles = { o200k_base: get_encoding("o200k_base"), cl100k_base: get_encoding("cl100k_base") };

for (const tokenizer of tokenizers) {
  test(`a prompt's tokens are those of its whole text, and its sections' add up, by ${tokenizer.name}`, () => {
    always([anything, editions], ({ charter, readings }, edition) => {
      const prompt = assemble(charter, readings, { edition });
      const { total, exact, sections } = prompt.tokens(tokenizer);
      expect(total).toBe(tokenizer.count(prompt.text));
      expect(sections.length).toBe(prompt.sections.length);
      expect(sections.reduce((sum, count) => sum + count, 0)).toBe(total);
      expect(exact).toBe(true);
    });
  });

  test(`a part counted before is counted right beside other neighbours, by ${tokenizer.name}`, () => {
    always(
      [
        anything,
        fc.array(hostile, { minLength: 2, maxLength: 5 }),
        fc.array(fc.nat(4), { minLength: 3, maxLength: 6 }),
      ],
      ({ charter, readings }, texts, picks) => {
        const parts = texts.map((text) => ({ text }));
        for (let at = 1; at <= picks.length; at++) {
          const shown = picks.slice(0, at).map((pick) => parts[pick % parts.length] as { text: string });
          const changed = Object.fromEntries(
            Object.keys(readings).map((name) => [name, { status: "present" as const, parts: shown }]),
          );
          const prompt = assemble(charter, changed);
          expect(prompt.tokens(tokenizer).total).toBe(tokenizer.count(prompt.text));
        }
      },
      runs(15, 300),
    );
  });

  test(`tiktoken counts the same, by ${tokenizer.name}`, () => {
    const oracle = oracles[tokenizer.name as keyof typeof oracles];
    always(
      [anything],
      ({ charter, readings }) => {
        const prompt = assemble(charter, readings);
        expect(prompt.tokens(tokenizer).total).toBe(oracle.encode(prompt.text, [], []).length);
      },
      runs(15, 300),
    );
  });
}
