import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { assemble } from "./assemble.ts";
import { type Charter, defineCharter } from "./charter.ts";
import { fromText } from "./reading.ts";
import { receiptOf } from "./receipt.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

const charter: Charter = defineCharter({
  name: "house",
  layers: [
    { name: "law", mutability: "fixed", sections: [{ name: "law", words: "Harm no one." }] },
    {
      name: "own",
      mutability: { amendableBy: ["agent"] },
      sections: [
        { name: "goals", original: "Grow." },
        { name: "wishes", scope: "user" },
      ],
    },
    { name: "now", mutability: "live", sections: [{ name: "clock", sources: [], stability: "state" }] },
  ],
});

const prompt = assemble(charter, {
  law: { status: "empty" },
  goals: fromText("Grow.", { source: "original", revision: 0 }),
  wishes: fromText("Be brief.", { source: "standing", revision: 2 }),
  clock: fromText("Noon.", { source: "clock" }),
});

test("a receipt names each section's text by digest, and whose words they are", () => {
  const { receipt, texts } = receiptOf(charter, prompt, { sha256 });
  expect(texts.map(({ section, whose, text }) => [section, whose, text])).toEqual([
    ["law", "agent", "Harm no one.\n\n"],
    ["goals", "agent", "Grow.\n\n"],
    ["wishes", "user", "Be brief.\n\n"],
    ["clock", "user", "Noon."],
  ]);
  expect(receipt.slots.map(({ slot, digest }) => [slot, digest])).toEqual([["system", sha256(prompt.text)]]);
  expect(receipt.slots[0]?.sections[2]).toEqual({
    name: "wishes",
    layer: "own",
    mutability: "amendable",
    stability: "stable",
    trust: "user",
    source: "standing",
    revision: 2,
    digest: sha256("Be brief.\n\n"),
    whose: "user",
    tokens: null,
    spans: [{ length: 11, source: "standing", revision: 2, trust: "user" }],
  });
});

test("sections are in the slot they were placed in, each slot with a digest of its own", () => {
  const { receipt } = receiptOf(charter, prompt, {
    sha256,
    receiver: "anthropic/claude",
    placements: [
      { slot: "system", sections: ["law", "goals", "wishes"], breakpoints: [3] },
      { slot: "tail", sections: ["clock"] },
    ],
  });
  expect(receipt.receiver).toBe("anthropic/claude");
  expect(
    receipt.slots.map(({ slot, digest, breakpoints, sections }) => ({
      slot,
      digest,
      breakpoints,
      names: sections.map(({ name }) => name),
    })),
  ).toEqual([
    {
      slot: "system",
      digest: sha256("Harm no one.\n\nGrow.\n\nBe brief.\n\n"),
      breakpoints: [3],
      names: ["law", "goals", "wishes"],
    },
    { slot: "tail", digest: sha256("Noon."), breakpoints: [], names: ["clock"] },
  ]);
});
