import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ToolOutput } from "../../src/agent/index.ts";
import { replayRequest } from "../../src/agent/replay.ts";
import { fromText } from "../../src/index.ts";
import { verifyStore } from "../../src/store/verify/verify.ts";
import { homes } from "../homes.ts";
import { calls, type Line, scripted } from "./model.ts";
import { newStage, type Stage, tool } from "./stage.ts";

/** Bytes that strangers write, and whether something has to be mended. The last one is longer than any section may be. */
const bytes: readonly [what: string, text: string, isMended: boolean][] = [
  ["a NUL", "Thanks\0 a lot", true],
  ["half an emoji", "Thanks 🎉".slice(0, 8), true],
  ["its other half", "🎉 Thanks".slice(1), true],
  ["a mark that is not seen, U+FEFF", "\uFEFFThanks", false],
  ["a line end of one reader, U+0085", "Thanks\u0085## Rules", false],
  ["controls", "Thanks \u0001\u0008\u001b[31m\u007f\u0090\u009f", false],
  ["turned letters", "Thanks \u202egnp.exe\u2066\u2069", false],
  ["very much", "Thanks. ".repeat(250_001), true],
];

/** The mouths that text comes in by, and how the notice of each begins. */
type Mouth = {
  readonly notice: string;
  readonly speak: (stage: Stage, text: string) => Speech;
};
type Speech = {
  readonly lines?: readonly Line[];
  readonly output?: () => ToolOutput | Promise<ToolOutput>;
  readonly foreign?: true;
  readonly description?: string;
  readonly context?: unknown;
};

const source = (name: "place" | "clock" | "inbox"): Mouth => ({
  notice: `The text of “${name}” by mail of bo`,
  speak: ({ world }, text) => {
    world[name] = () => fromText(text, { source: "mail of bo" });
    return {};
  },
});
const result = (output: (text: string) => ToolOutput | Promise<ToolOutput>, more: Speech = {}): Mouth => ({
  notice: "A result of the tool “look”",
  speak: (_, text) => ({ output: () => output(text), lines: [calls(["look"]), "Fine."], ...more }),
});

const mouths: Readonly<Record<string, Mouth>> = {
  "a source of stable text": source("place"),
  "a source of state": source("clock"),
  "a source of strangers' text": source("inbox"),
  "a tool's result": result((text) => text),
  "a foreign tool's result": result((text) => text, { foreign: true }),
  "a tool's error": result((text) => Promise.reject(new Error(text))),
  "a sub-agent's reply": result((text) => ({ text, foreign: true })),
  "a tool's description": {
    notice: "What the tool “look” says of itself",
    speak: (_, text) => ({ description: text }),
  },
  "an answer": { notice: "An answer of “test/one”", speak: (_, text) => ({ lines: [text] }) },
  "a call": {
    notice: "An answer of “test/one”",
    speak: (_, text) => ({ lines: [calls([`look${text}`, `{"a":"${text}"}`, `1${text}`]), "Fine."] }),
  },
  "the context": { notice: "The context of the turn", speak: (_, text) => ({ context: { [text]: [text] } }) },
};

for (const home of homes)
  describe(`a stranger's bytes never stop a turn, on ${home}`, () => {
    let stage: Stage;
    let turns: string[];
    beforeAll(async () => {
      stage = await newStage(home);
      turns = [];
    });
    afterAll(() => stage.close());

    for (const [mouth, { notice, speak }] of Object.entries(mouths))
      for (const [what, text, isMended] of bytes) {
        // Answers and results have limits of their own, which are told; a context's is the program's to keep.
        const isLong = text.length > 1_000_000;
        if (isLong && !mouth.startsWith("a source")) continue;
        test(`${what}, by ${mouth}`, async () => {
          const world = { ...stage.world };
          const { lines = ["Fine."], output = () => "", foreign, description, context } = speak(stage, text);
          const model = scripted([...lines]);
          const look = { ...tool("look", output, foreign ? {} : undefined), ...(description ? { description } : {}) };
          const agent = stage.agent(model, { tools: [look], keepContext: true });
          const asked = { input: "Go.", user: `${mouth}, ${what}`, ...(context ? { context } : {}) };
          const { turn, state, notices } = await agent.runTurn(asked);
          Object.assign(stage.world, world);
          turns.push(turn);
          const others = notices.filter(({ code }) => code !== "shared-text");
          const begins = others.map(({ code, message }) => [code, message.startsWith(notice)]);
          expect([state, begins]).toEqual(["answered", isMended ? [["text-mended", true]] : []]);
          for (const request of model.requests) expect(JSON.stringify(request)).not.toMatch(/\\u0000|\\ud[89a-f]/i);
          for (const { step } of await stage.store.steps.of(turn)) {
            const { request } = await replayRequest(stage.store, turn, step);
            expect(request).toEqual(model.requests[step - 1]);
          }
        });
      }

    for (const name of ["place", "clock", "inbox"] as const)
      for (const [what, about, room] of [
        ["for the window of a model", { window: 20_000 }, {}],
        ["for the limit of a prompt", {}, { chars: 3000 }],
        ["in bytes", { maxBytes: 9000 }, {}],
      ] as const)
        test(`a long text by the source of “${name}” is cut where there is no room ${what}`, async () => {
          const world = { ...stage.world };
          stage.world[name] = () => fromText("Thanks 🎉. ".repeat(100_000), { source: "mail of bo" });
          const model = scripted(["Fine."], about);
          const asked = { input: "Go.", user: `long ${name} ${what}` };
          const { turn, state, notices } = await stage.agent(model, { room }).runTurn(asked);
          Object.assign(stage.world, world);
          turns.push(turn);
          expect([state, notices.filter(({ code }) => code === "text-mended")]).toEqual([
            "answered",
            [
              {
                code: "text-mended",
                section: name,
                message: expect.stringMatching(
                  `^The text of “${name}” by mail of bo has more characters than there is room for: what comes after [\\d,]+ is left out\\.$`,
                ),
              },
            ],
          ]);
          expect(JSON.stringify(model.requests[0])).toMatch(/\(cut here: \d+ more characters\)/);
          expect(JSON.stringify(model.requests[0])).toContain("Never give away a secret.");
        });

    test("and what is on record is as it was sent", async () => {
      expect(turns.length).toBeGreaterThan(70);
      for (const turn of turns) {
        const steps = JSON.stringify([await stage.store.steps.of(turn), await stage.store.turns.get(turn)]);
        expect(steps).not.toMatch(/\\u0000|\\ud[89a-f]/i);
      }
      expect(await verifyStore(stage.store.home)).toMatchObject({ faults: [] });
    });
  });
