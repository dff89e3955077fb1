import { type } from "arktype";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import { z as zod3 } from "zod3";
import { z as zod3v4 } from "zod3/v4";
import { z as zod41 } from "zod4-1";
import { defineTool, type Tool } from "../../src/agent/index.ts";
import type { ToolResult } from "../../src/delivery/model.ts";
import { calls, scripted } from "./model.ts";
import { newStage, type Stage } from "./stage.ts";

/** What `run` is given is inferred from `input`, whichever library wrote it: this file does not compile otherwise. */
const about = { name: "weather", summary: "Look up the weather", trusted: true, reads: true } as const;
const libraries: readonly [library: string, tool: Tool, objects: RegExp][] = [
  [
    "zod",
    defineTool({
      ...about,
      input: z.object({ city: z.string(), days: z.number().default(1), note: z.string().optional() }),
      run: ({ city, days, note }) => `${city.toUpperCase()} ${days.toFixed(1)} ${note?.length}`,
    }),
    /^city: Invalid input: expected string, received number$/,
  ],
  [
    "zod/mini",
    defineTool({
      ...about,
      input: mini.object({
        city: mini.string(),
        days: mini._default(mini.number(), 1),
        note: mini.optional(mini.string()),
      }),
      run: ({ city, days, note }) => `${city.toUpperCase()} ${days.toFixed(1)} ${note?.length}`,
    }),
    /^city: Invalid input/,
  ],
  [
    "zod 4.1",
    defineTool({
      ...about,
      input: zod41.object({ city: zod41.string(), days: zod41.number().default(1), note: zod41.string().optional() }),
      run: ({ city, days, note }) => `${city.toUpperCase()} ${days.toFixed(1)} ${note?.length}`,
    }),
    /^city: Invalid input: expected string, received number$/,
  ],
  [
    "zod 3.25",
    defineTool({
      ...about,
      input: zod3.object({ city: zod3.string(), days: zod3.number().default(1), note: zod3.string().optional() }),
      run: ({ city, days, note }) => `${city.toUpperCase()} ${days.toFixed(1)} ${note?.length}`,
    }),
    /^city: Expected string, received number$/,
  ],
  [
    "zod/v4 of 3.25",
    defineTool({
      ...about,
      input: zod3v4.object({
        city: zod3v4.string(),
        days: zod3v4.number().default(1),
        note: zod3v4.string().optional(),
      }),
      run: ({ city, days, note }) => `${city.toUpperCase()} ${days.toFixed(1)} ${note?.length}`,
    }),
    /^city: Invalid input: expected string, received number$/,
  ],
  [
    "valibot",
    defineTool({
      ...about,
      input: v.object({ city: v.string(), days: v.optional(v.number(), 1), note: v.optional(v.string()) }),
      run: ({ city, days, note }) => `${city.toUpperCase()} ${days.toFixed(1)} ${note?.length}`,
    }),
    /^city: Invalid type: Expected string but received 7$/,
  ],
  [
    "arktype",
    defineTool({
      ...about,
      input: type({ city: "string", days: "number = 1", "note?": "string" }),
      run: ({ city, days, note }) => `${city.toUpperCase()} ${days.toFixed(1)} ${note?.length}`,
    }),
    /^city: city must be a string \(was a number\)$/,
  ],
];

let stage: Stage;
beforeEach(async () => {
  stage = await newStage();
});
afterEach(() => stage.close());

describe("a tool takes a schema of any library that follows the standard", () => {
  for (const [library, tool, objects] of libraries)
    test(library, async () => {
      const model = scripted([calls(["weather", { city: "Rome", note: null }], ["weather", { city: 7 }]), "Done."]);
      const { turn } = await stage.agent(model, { tools: [tool] }).runTurn({ input: "Go.", user: "mia" });
      expect(model.requests[0]?.tools).toMatchObject([
        {
          name: "weather",
          description: "Look up the weather",
          input: {
            type: "object",
            properties: { city: { type: "string" }, days: { type: "number" }, note: { type: "string" } },
            required: ["city"],
          },
        },
      ]);
      const [step] = await stage.store.steps.of(turn);
      const results = (step?.result?.results ?? []) as readonly ToolResult[];
      expect(results[0]?.output).toBe("ROME 1.0 undefined");
      const refused = /^Not run: the arguments do not fit “weather”\. (.*)\.$/.exec(results[1]?.output ?? "");
      expect(refused?.[1]).toMatch(objects);
    });
});

test("what is no schema is a Problem, where the tool is written", () => {
  const run = () => "";
  const old = { parse: () => {}, safeParse: () => {} };
  for (const input of [undefined, null, {}, old, { type: "object", properties: {} }])
    expect(() => defineTool({ ...about, input: input as never, run })).toThrow(
      "The tool “weather” cannot be used: its input is no schema of zod (from 3.25 on), valibot, arktype or the like.",
    );
});
