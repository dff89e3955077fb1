import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { assemble } from "./assemble.ts";
import { type Charter, defineCharter } from "./charter.ts";
import { sectionTexts } from "./prompt.ts";
import { fromText } from "./reading.ts";
import { rebuild, receiptOf } from "./receipt.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

const charter: Charter = defineCharter({
  name: "house",
  layers: [
    { name: "law", mutability: "fixed", sections: [{ name: "law", words: "Harm no one." }] },
    {
      name: "own",
      mutability: { amendableBy: ["agent"], scope: "agent" },
      sections: [
        { name: "goals", original: "Grow." },
        { name: "wishes", mutability: { amendableBy: ["agent"], scope: "user" } },
      ],
    },
    { name: "now", mutability: "live", sections: [{ name: "clock", trust: "own", sources: [], stability: "state" }] },
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

test("a receipt says who received it, what was counted, what came before and what is foretold", () => {
  const tokenizer = { name: "letters", exact: true, count: (text: string) => text.length };
  const history = { messages: 2 } as never;
  const predicted = { cached: 1 } as never;
  const { receipt } = receiptOf(charter, prompt, { sha256, tokenizer, history, predicted });
  const { slots, lock, ...rest } = receipt;
  expect(rest).toEqual({
    charter: "house",
    edition: "full",
    receiver: null,
    tokens: { tokenizer: "letters", exact: true, total: prompt.text.length },
    cuts: [],
    omitted: [],
    notices: [],
    history,
    predicted,
  });
  expect(lock).toMatch(/^[0-9a-f]{64}$/);
  expect(slots[0]?.sections.map(({ tokens }) => tokens)).toEqual([14, 7, 11, 5]);
  expect(Object.keys(receiptOf(charter, prompt, { sha256 }).receipt)).not.toContain("history");
});

test("a digest is worked out once for words and a hash, and anew where either is another", () => {
  const asked: string[] = [];
  const count = (text: string) => `${asked.push(text)}`;
  const words = sectionTexts(prompt);
  const digests = (...given: ReturnType<typeof sectionTexts>) => {
    const placements = [{ slot: "system", sections: given }];
    const { slots } = receiptOf(charter, prompt, { sha256: count, placements }).receipt;
    return slots.flatMap(({ digest, sections }) => [digest, ...sections.map((one) => one.digest)]);
  };
  const [law, goals, wishes] = words as [(typeof words)[0], (typeof words)[0], (typeof words)[0]];
  const whole = digests(law, goals);
  expect(digests(law, goals)).toEqual(whole);
  expect(digests(law, wishes)[0]).not.toBe(whole[0]);
  expect(digests(law, goals, wishes)[0]).not.toBe(whole[0]);
  const other = { ...goals, text: "Shrink.\n\n" };
  expect(digests(law, other)[0]).not.toBe(whole[0]);
  expect(digests(other)).not.toEqual(digests(goals));
  expect(asked.slice(-1)).toEqual(["Grow.\n\n"]);
  expect(
    receiptOf(charter, prompt, { sha256, placements: [{ slot: "s", sections: [law, goals] }] }).receipt.slots,
  ).toMatchObject([
    { digest: sha256(law.text + goals.text), sections: [{ digest: sha256(law.text) }, { digest: sha256(goals.text) }] },
  ]);
});

test("an empty slot has the digest of nothing; a section that is not there is left out", () => {
  const placements = [{ slot: "tail", sections: ["nobody"], message: 3 }];
  expect(receiptOf(charter, prompt, { sha256, placements }).receipt.slots).toEqual([
    { slot: "tail", digest: sha256(""), sections: [], breakpoints: [], message: 3 },
  ]);
});

test("slots are built again from the texts, each with its message, where it has one", () => {
  const placements = [
    { slot: "system", sections: ["law", "goals"] },
    { slot: "tail", sections: ["clock"], message: 2 },
  ];
  const { receipt, texts } = receiptOf(charter, prompt, { sha256, placements });
  const textOf = new Map(texts.map(({ digest, text }) => [digest, text]));
  expect(rebuild(receipt, ({ digest }) => textOf.get(digest) as string)).toEqual([
    { slot: "system", digest: sha256("Harm no one.\n\nGrow.\n\n"), text: "Harm no one.\n\nGrow.\n\n" },
    { slot: "tail", digest: sha256("Noon."), text: "Noon.", message: 2 },
  ]);
});

test("words of a section the charter no longer has are a user's, and spans carry the ids of their parts", () => {
  const gone = { ...(sectionTexts(prompt)[1] as object), name: "former" } as ReturnType<typeof sectionTexts>[0];
  const { texts } = receiptOf(charter, prompt, { sha256, placements: [{ slot: "s", sections: [gone] }] });
  expect(texts.map(({ whose }) => whose)).toEqual(["user"]);
  const parts = assemble(charter, {
    goals: { status: "present", parts: [{ text: "a", id: "n1" }] },
    wishes: { status: "empty" },
    clock: { status: "empty" },
  });
  expect(sectionTexts(parts)[1]?.spans).toEqual([
    { length: 1, source: "source", revision: null, trust: "user", part: "n1" },
  ]);
});
